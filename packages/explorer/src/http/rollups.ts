import { type AnyRoute, route, schema } from '@switchyard/service/api';
import type { Row } from '../store/store.ts';
import { number, numberOrNull, text, timeOrNull } from './cells.ts';
import { type ApiContext, followed, isEvm, rollupIdOf, rollupName } from './context.ts';
import { listRoute } from './list-route.ts';
import { notFound } from './problems.ts';
import * as form from './schemas.ts';

export const TAG = 'Rollups';

const offersSchema = schema.object(
  {
    messages: schema.flag('Whether it has messages'),
    accounts: schema.flag('Whether it has accounts'),
    history: schema.flag('Whether these have a history'),
    views: schema.list(
      schema.object(
        { name: schema.text('Below `/v1/rollups/{rollup}/views/`'), summary: schema.text('What it is') },
        { name: 'View' },
      ),
    ),
  },
  { name: 'Offers' },
);

const rollupSchema = schema.object(
  {
    rollup: form.hash('Id of the rollup'),
    name: form.rollupName,
    kind: schema.nullable(
      schema.words('What its node can be asked for; null where none is followed', 'evm', 'framework'),
    ),
    offers: schema.nullable(offersSchema),
    firstHeight: schema.nullable(schema.integer('Of the first sequencer block with data of it')),
    lastHeight: schema.nullable(schema.integer('Of the last one')),
    submissions: schema.integer("Users' bytes for it"),
    bytes: schema.integer('Bytes of these'),
    deposits: schema.integer('Deposits to it'),
    node: schema.nullable(
      schema.object(
        {
          url: schema.text('Where it is asked'),
          chainId: schema.text('Of the rollup'),
          soft: schema.integer('Its newest block'),
          firm: schema.nullable(schema.integer('Its newest final block')),
          firmLayerHeight: schema.nullable(
            schema.integer('Of the data-availability layer: where that was found; null where it is not known'),
          ),
          indexed: schema.integer('The newest block in the index'),
          problem: schema.nullable(schema.text('Why it is not read further')),
          awaySince: schema.nullable(form.time),
        },
        { name: 'RollupNode' },
      ),
    ),
  },
  { name: 'Rollup' },
);

export const rollupErrors = { 404: 'No such rollup is followed', 503: 'The index does not answer' };

/** The id of the rollup that a request names. @throws {HttpError} 404 */
export function rollupOf(context: ApiContext, given: string) {
  const id = rollupIdOf(context, given);
  if (id === undefined)
    throw notFound(`no rollup ${JSON.stringify(given.slice(0, 100))} is followed here; give its id`);
  return id;
}

/** What rollups have in sequencer blocks and, of those that are followed, how far their nodes are. */
export function rollupRoutes(context: ApiContext): readonly AnyRoute[] {
  const { store } = context;
  const list = listRoute(store, {
    url: '/v1/rollups',
    id: 'listRollups',
    tag: TAG,
    summary: 'Rollups, those with the newest data first',
    name: 'RollupPage',
    item: rollupSchema,
    by: { last_height: 'number', rollup: 'word' },
    sql: (page) => ({ sql: `SELECT * FROM rollups WHERE ${page.sql} ${page.order}`, params: page.params }),
    async show(rows, _, isFirst) {
      // A rollup that is followed is there before it has data.
      const silent = isFirst ? await followedWithoutData(context) : [];
      return [...rows, ...silent].map((row) => rollupJson(context, row));
    },
  });
  const one = route({
    method: 'get',
    url: '/v1/rollups/{rollup}',
    id: 'getRollup',
    tag: TAG,
    summary: 'How much data a rollup has, and the state of its node',
    path: { rollup: form.rollupParameter },
    answers: { 200: rollupSchema },
    errors: { 404: 'No such rollup in the index', 503: 'The index does not answer' },
    async handle({ path: { rollup } }) {
      const id = rollupOf(context, rollup);
      const [row] = await store.read('SELECT * FROM rollups WHERE rollup = ?', [id]);
      if (row === undefined && followed(context, id) === undefined) throw notFound(`no rollup ${id} in the index`);
      return { status: 200, body: rollupJson(context, row ?? { rollup: id }) };
    },
  });
  return [list, one];
}

async function followedWithoutData({ rollups, store }: ApiContext): Promise<Row[]> {
  const ids = rollups.flatMap((each) => each.state().head?.id ?? []);
  if (ids.length === 0) return [];
  const marks = ids.map(() => '?').join(', ');
  const known = await store.read(`SELECT rollup FROM rollups WHERE rollup IN (${marks})`, ids);
  return ids.filter((id) => !known.some(({ rollup }) => rollup === id)).map((rollup) => ({ rollup }));
}

function rollupJson(context: ApiContext, row: Row): schema.TypeOf<typeof rollupSchema> {
  const id = text(row.rollup);
  const state = followed(context, id)?.state();
  return {
    rollup: id,
    name: rollupName(context, id),
    kind: state?.head === undefined ? null : isEvm(context, id) ? 'evm' : 'framework',
    offers: state?.offers ?? null,
    firstHeight: numberOrNull(row.first_height),
    lastHeight: numberOrNull(row.last_height),
    submissions: number(row.submissions),
    bytes: number(row.bytes),
    deposits: number(row.deposits),
    node:
      state?.head === undefined
        ? null
        : {
            url: state.url,
            chainId: state.head.chainId,
            soft: state.head.soft,
            firm: state.head.firm ?? null,
            firmLayerHeight: state.head.firmLayerHeight ?? null,
            indexed: state.number,
            problem: state.problem ?? null,
            awaySince: timeOrNull(state.awaySince),
          },
  };
}
