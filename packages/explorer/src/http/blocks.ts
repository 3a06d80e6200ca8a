import { type AnyRoute, route, schema } from '@switchyard/service/api';
import { number, text } from './cells.ts';
import { type ApiContext, rollupName } from './context.ts';
import { listRoute } from './list-route.ts';
import { notFound } from './problems.ts';
import * as form from './schemas.ts';
import { blockJson, blockMembers, blockSchema } from './shown.ts';

export const TAG = 'Sequencer';

const fullBlockSchema = schema.object(
  {
    ...blockMembers,
    absent: schema.list(form.accountBytes('Address of a validator that did not sign it')),
    rollups: schema.list(
      schema.object(
        {
          rollup: form.hash('Id of a rollup with data in it'),
          name: form.rollupName,
          submissions: schema.integer("Users' bytes for the rollup"),
          bytes: schema.integer('Bytes of these'),
          deposits: schema.integer('Deposits to the rollup'),
        },
        { name: 'BlockRollup' },
      ),
    ),
  },
  { name: 'FullBlock' },
);

/** The sequencer's blocks. */
export function blockRoutes(context: ApiContext): readonly AnyRoute[] {
  const { store } = context;
  const list = listRoute(store, {
    url: '/v1/blocks',
    id: 'listBlocks',
    tag: TAG,
    summary: 'Blocks, newest first',
    name: 'BlockPage',
    item: blockSchema,
    by: { height: 'number' },
    sql: (page) => ({ sql: `SELECT * FROM blocks WHERE ${page.sql} ${page.order}`, params: page.params }),
    async show(rows) {
      const places = await context.layer.of(rows.map((row) => number(row.height)));
      return rows.map((row) => blockJson(row, places.get(number(row.height))));
    },
  });
  const one = route({
    method: 'get',
    url: '/v1/blocks/{block}',
    id: 'getBlock',
    tag: TAG,
    summary: 'One block, by height or hash, with what each rollup has in it',
    path: { block: form.blockParameter },
    answers: { 200: fullBlockSchema },
    errors: { 404: 'No such block in the index', 503: 'The index does not answer' },
    async handle({ path: { block } }) {
      const column = typeof block === 'number' ? 'height' : 'hash';
      const [row] = await store.read(`SELECT * FROM blocks WHERE ${column} = ?`, [block]);
      if (row === undefined)
        throw notFound(`no block ${block} in the index, which is at ${context.sequencer.state().height}`);
      const height = number(row.height);
      const [rollups, places] = await Promise.all([
        store.read('SELECT * FROM block_rollups WHERE height = ? ORDER BY rollup', [height]),
        context.layer.of([height]),
      ]);
      const body = {
        ...blockJson(row, places.get(height)),
        absent: text(row.absent)
          .split(',')
          .filter((each) => each !== ''),
        rollups: rollups.map((each) => ({
          rollup: text(each.rollup),
          name: rollupName(context, text(each.rollup)),
          submissions: number(each.submissions),
          bytes: number(each.bytes),
          deposits: number(each.deposits),
        })),
      };
      return { status: 200, body };
    },
  });
  return [list, one];
}
