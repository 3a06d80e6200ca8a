import type { AnyRoute } from '@switchyard/service/api';
import { rollups } from '../contract/rollups.ts';
import type { Offers } from '../rollups/offers.ts';
import { answer } from './answer.ts';
import { type ApiContext, followed } from './context.ts';
import { notFound } from './problems.ts';
import { rollupOf } from './rollups.ts';
import { upstream } from './upstream.ts';

/* For pages of one rollup: what its own node answers, which is its definition's, not the framework's. */

export function passedRoutes(context: ApiContext): readonly AnyRoute[] {
  const pass = async (
    rollup: string,
    isOffered: (offers: Offers) => boolean,
    path: string,
    query: Readonly<Record<string, unknown>> = {},
  ) => {
    const indexer = followed(context, rollupOf(context, rollup));
    if (indexer === undefined) throw notFound('no node of this rollup is followed here');
    const { offers } = indexer.state();
    // A node whose offers are not known answers itself.
    if (offers !== undefined && !isOffered(offers)) throw notFound('the node of this rollup does not offer this');
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const search = given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
    try {
      return await indexer.get(search === '' ? path : `${path}?${search}`, context.signal);
    } catch (error) {
      throw upstream('the node of this rollup', error);
    }
  };
  const accountPath = (address: string) => `/v1/accounts/${encodeURIComponent(address)}`;
  return [
    answer(rollups.getRollupAccount, ({ path }) =>
      pass(path.rollup, ({ accounts }) => accounts, accountPath(path.address)),
    ),
    answer(rollups.listRollupAccountHistory, ({ path, query }) =>
      pass(path.rollup, ({ history }) => history, `${accountPath(path.address)}/history`, query),
    ),
    answer(rollups.listRollupMessages, ({ path, query }) =>
      pass(path.rollup, ({ messages }) => messages, '/v1/messages', query),
    ),
    answer(rollups.getRollupView, ({ path }) =>
      pass(path.rollup, ({ views }) => views.some(({ name }) => name === path.view), `/v1/${path.view}`),
    ),
  ];
}
