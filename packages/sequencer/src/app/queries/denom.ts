import { create, toBinary } from '@bufbuild/protobuf';
import { assetIdFromBytes, fromHex } from '@switchyard/protocol';
import { asset as assetMessages } from '@switchyard/protocol/gen';
import { assets } from '../tables/assets.ts';
import { orProblem, QueryProblem, type QueryRoute } from './route.ts';

/** The full name behind an asset's id. */
export const denomQuery: QueryRoute = {
  path: 'asset/denom/{id}',

  answer({ snapshot, height, parameter }) {
    const id = orProblem('invalidParameter', () => assetIdFromBytes(fromHex(parameter)));
    const denom = assets.get(snapshot, id);
    if (denom === undefined) throw new QueryProblem('notFound', `no asset with id ${id} is registered`);
    return toBinary(assetMessages.DenomResponseSchema, create(assetMessages.DenomResponseSchema, { height, denom }));
  },
};
