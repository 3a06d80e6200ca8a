import { type AnyRoute, route, schema } from '@switchyard/service/api';
import type { Offers } from '../rollups/offers.ts';
import { type ApiContext, followed } from './context.ts';
import { notFound } from './problems.ts';
import { rollupOf, TAG } from './rollups.ts';
import { NODE_ERRORS, rollupParameter } from './schemas.ts';
import { upstream } from './upstream.ts';

/* For pages of one rollup: what its own node answers, which is its definition's, not the framework's. */

const ANSWER = schema.json('What the node of the rollup answers; its own document describes it');
const ERRORS = { 404: 'No node of this rollup is followed, or it has no such thing', ...NODE_ERRORS };

const pageQuery = {
  limit: schema.optional(schema.integer('Items of the page', { min: 1, max: 200 })),
  before: schema.optional(schema.u64Digits('Only items before this one')),
  after: schema.optional(schema.u64Digits('Only items after this one')),
};
const account = { rollup: rollupParameter, address: schema.text('As the rollup writes it', { examples: ['alice'] }) };

const viewParameter = schema.parsed(
  { description: 'Name of the view', pattern: '^[a-z][a-z0-9-]{0,63}$', examples: ['total'] },
  'the name of a view',
  (text) => {
    if (!/^[a-z][a-z0-9-]{0,63}$/.test(text)) throw new RangeError('not a name');
    return text;
  },
);

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
    // What is not known of a node, it answers itself.
    if (offers !== undefined && !isOffered(offers)) throw notFound('the node of this rollup does not offer this');
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const search = given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
    try {
      return {
        status: 200,
        body: await indexer.get(search === '' ? path : `${path}?${search}`, context.signal),
      } as const;
    } catch (error) {
      throw upstream('the node of this rollup', error);
    }
  };
  const accountPath = (address: string) => `/v1/accounts/${encodeURIComponent(address)}`;
  return [
    route({
      method: 'get',
      url: '/v1/rollups/{rollup}/accounts/{address}',
      id: 'getRollupAccount',
      tag: TAG,
      summary: 'An account of a rollup, from its node',
      path: account,
      answers: { 200: ANSWER },
      errors: ERRORS,
      handle: ({ path }) => pass(path.rollup, ({ accounts }) => accounts, accountPath(path.address)),
    }),
    route({
      method: 'get',
      url: '/v1/rollups/{rollup}/accounts/{address}/history',
      id: 'listRollupAccountHistory',
      tag: TAG,
      summary: 'What an account of a rollup took part in, from its node',
      path: account,
      query: pageQuery,
      answers: { 200: ANSWER },
      errors: ERRORS,
      handle: ({ path, query }) =>
        pass(path.rollup, ({ history }) => history, `${accountPath(path.address)}/history`, query),
    }),
    route({
      method: 'get',
      url: '/v1/rollups/{rollup}/messages',
      id: 'listRollupMessages',
      tag: TAG,
      summary: 'Messages of a rollup that has them, from its node',
      path: { rollup: rollupParameter },
      query: {
        ...pageQuery,
        sender: schema.optional(schema.text('Only those of this sender')),
        q: schema.optional(schema.text('Only those with these words')),
      },
      answers: { 200: ANSWER },
      errors: ERRORS,
      handle: ({ path, query }) => pass(path.rollup, ({ messages }) => messages, '/v1/messages', query),
    }),
    route({
      method: 'get',
      url: '/v1/rollups/{rollup}/views/{view}',
      id: 'getRollupView',
      tag: TAG,
      summary: 'What the node of a rollup answers without being given anything, such as a part of its state',
      description: '`offers.views` of a rollup has their names',
      path: { rollup: rollupParameter, view: viewParameter },
      answers: { 200: ANSWER },
      errors: ERRORS,
      handle: ({ path }) =>
        pass(path.rollup, ({ views }) => views.some(({ name }) => name === path.view), `/v1/${path.view}`),
    }),
  ];
}
