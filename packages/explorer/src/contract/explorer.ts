import { schema } from '@switchyard/service/contract';
import * as column from './column.ts';
import { layerPlace } from './common.ts';
import * as parameter from './parameters.ts';
import { submission } from './rollups.ts';
import { get, INDEX_ERRORS, items, table } from './routes.ts';
import { transaction } from './sequencer.ts';

/* Questions about all chains at once. */

const head = schema.record('RollupHead', {
  rollup: column.hash('Id of the rollup'),
  name: schema.text('Name of the rollup'),
  number: schema.integer('Its newest block in the index'),
  firm: schema.nullable(schema.integer('Its newest final block')),
});

/** The data of the events of `/v1/events`. */
export const heads = schema.record('Heads', {
  height: schema.integer('The newest block of the sequencer in the index'),
  rollups: schema.list(head),
});
export type Heads = schema.TypeOf<typeof heads>;

export const status = schema.record('Status', {
  ...heads.members,
  chainId: schema.nullable(schema.text('Chain id of the sequencer; null until it has answered')),
  addressPrefix: schema.text('Prefix of addresses on the sequencer'),
  latest: schema.integer('The newest block of the sequencer'),
  lag: schema.integer('Blocks that the index is behind'),
  problem: schema.nullable(schema.text('Why the index does not advance')),
});
export type Status = schema.TypeOf<typeof status>;

export const found = schema.record('Found', {
  kind: schema.words(
    'Kind of the thing that was found',
    ...(['block', 'transaction', 'account', 'rollup', 'rollup-block', 'rollup-transaction'] as const),
    ...(['rollup-account', 'evm-transaction', 'evm-address', 'token'] as const),
  ),
  label: schema.text('Text for people'),
  path: schema.text('Path below `/v1` and, without that, of the page'),
});
export type Found = schema.TypeOf<typeof found>;

const MAX_QUERY = 200;

const query = schema.parsed(
  // Postgres takes no text with NUL.
  { description: 'Text to search for', pattern: `^[^\\u0000]{1,${MAX_QUERY}}$`, examples: ['1'] },
  `1 to ${MAX_QUERY} characters`,
  (text) => {
    const trimmed = text.trim();
    if (trimmed === '' || text.length > MAX_QUERY || text.includes('\0')) throw new RangeError('not a query');
    return trimmed;
  },
);

export const tracedSubmission = schema.record('TracedSubmission', {
  ...submission.members,
  accepted: schema.nullable(schema.object({ at: column.timeOrNull, bundledAt: column.timeOrNull })),
  layer: schema.nullable(layerPlace),
});
export type TracedSubmission = schema.TypeOf<typeof tracedSubmission>;

export const trace = schema.record('Trace', {
  hash: column.hash('Hash of the transaction'),
  transaction: schema.nullable(transaction),
  submissions: schema.list(tracedSubmission),
  waiting: schema.list(
    schema.record('Waiting', {
      rollup: column.hash('Id of a rollup that knows it'),
      name: schema.text('Name of that rollup'),
      outcome: schema.json('Answer of its node'),
    }),
  ),
});

export const explorer = table('Explorer', {
  getStatus: get('/v1/status', 'The chain, how far the index is, and which rollups are followed', status),
  search: get('/v1/search', 'Things that a height, hash, address or name stands for', items('SearchResults', found), {
    query: { q: query },
    errors: INDEX_ERRORS,
  }),
  suggest: get(
    '/v1/suggest',
    'Things that begin with the text so far, for a search that suggests while one types: at most 10',
    items('Suggestions', found),
    { query: { q: query }, errors: INDEX_ERRORS },
  ),
  getTrace: get(
    '/v1/trace/{hash}',
    'One transaction, of the sequencer or of a rollup: accepted, bundled, sequenced, posted, executed',
    trace,
    {
      description:
        'Transactions that a composer accepted long ago, or under load, have no times of acceptance. A layer height exists if a relayer is queried, and has posted the block',
      path: { hash: parameter.hash },
      errors: { 404: 'Neither the index nor a rollup that is followed has it', ...INDEX_ERRORS },
    },
  ),
});
