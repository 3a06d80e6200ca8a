import { create, toBinary } from '@bufbuild/protobuf';
import { asset as assetMessages } from '@switchyard/protocol/gen';
import { assetName } from '../tables/assets.ts';
import { allowedFeeAssets } from '../tables/fees.ts';
import type { QueryRoute } from './route.ts';

/** Assets that fees may be paid in. */
export const allowedFeeAssetsQuery: QueryRoute = {
  path: 'asset/allowed_fee_assets',

  answer({ snapshot, height }) {
    const feeAssets = allowedFeeAssets(snapshot).map((asset) => assetName(snapshot, asset));
    const message = create(assetMessages.AllowedFeeAssetsResponseSchema, { height, feeAssets });
    return toBinary(assetMessages.AllowedFeeAssetsResponseSchema, message);
  },
};
