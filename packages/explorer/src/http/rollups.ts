import type { AnyRoute } from '@switchyard/service/api';
import { rollup, rollups } from '../contract/rollups.ts';
import { isOffered } from '../rollups/offers.ts';
import type { Row } from '../store/store.ts';
import { answer } from './answer.ts';
import type { BalanceSheets } from './balance-sheets.ts';
import { text, timeOrNull } from './cells.ts';
import { type ApiContext, findRollupId, followed, isEvm } from './context.ts';
import { listRoute } from './list-route.ts';
import { mapped, notFound } from './problems.ts';
import { upstream } from './upstream.ts';
import { type Computed, readRows, view } from './view.ts';

const ROLLUPS = view(rollup, 'rollups');

/** The id of the rollup that a request names. @throws {HttpError} 404 */
export function getRollup(context: ApiContext, given: string) {
  const id = findRollupId(context, given);
  if (id === undefined)
    throw notFound(`no rollup ${JSON.stringify(given.slice(0, 100))} is followed here; give its id`);
  return id;
}

/** Routes for the data of rollups in sequencer blocks and, if they are followed, for how far their nodes are. */
export function rollupRoutes(context: ApiContext): readonly AnyRoute[] {
  const { store } = context;
  const all = listRoute(context, rollups.listRollups, {
    view: ROLLUPS,
    by: { 'rollups.last_height': 'number', 'rollups.rollup': 'word' },
    async compute() {
      const sheets = await context.sheets.of();
      return (row) => computed(context, row, sheets);
    },
    // A rollup that is followed is there before it has data.
    more: () => followedWithoutData(context),
  });
  const one = answer(rollups.getRollup, async ({ path: { rollup: given } }) => {
    const id = getRollup(context, given);
    const [row] = await readRows(store, ROLLUPS, 'rollup = ?', [id]);
    if (row === undefined && followed(context, id) === undefined) throw notFound(`no rollup ${id} in the index`);
    const shown = row ?? { rollup: id, name: id };
    return ROLLUPS.json(shown, computed(context, shown, await context.sheets.of()), context);
  });
  return [all, one];
}

async function followedWithoutData({ rollups: indexers, store }: ApiContext): Promise<Row[]> {
  const ids = indexers.flatMap((each) => each.state().head?.id ?? []);
  if (ids.length === 0) return [];
  const marks = ids.map(() => '?').join(', ');
  const known = await store.read(`SELECT rollup FROM rollups WHERE rollup IN (${marks})`, ids);
  return ids.filter((id) => !known.some((row) => row.rollup === id)).map((id) => ({ rollup: id, name: id }));
}

function computed(context: ApiContext, row: Row, sheets: Awaited<ReturnType<BalanceSheets['of']>>) {
  const name = followed(context, text(row.rollup))?.state().head?.name;
  return { ...toNode(context, row), sheet: (name === undefined ? undefined : sheets.get(name)) ?? null };
}

function toNode(context: ApiContext, { rollup: id }: Row): Omit<Computed<typeof rollup.members>, 'sheet'> {
  const state = followed(context, text(id))?.state();
  if (state?.head === undefined) return { kind: null, offers: state?.offers ?? null, node: null };
  const { chainId, soft, firm = null, firmLayerHeight = null } = state.head;
  const { url, number: indexed, problem = null, awaySince } = state;
  return {
    kind: isEvm(context, text(id)) ? 'evm' : 'framework',
    offers: state.offers ?? null,
    node: { url, chainId, soft, firm, firmLayerHeight, indexed, problem, awaySince: timeOrNull(awaySince) },
  };
}

/** For pages of one rollup: answers of its own node, which is its definition's, not the framework's. */
export const passedRoute = (context: ApiContext): AnyRoute =>
  answer(rollups.getRollupView, async ({ path: { rollup }, url }) => {
    const indexer = followed(context, getRollup(context, rollup));
    if (indexer === undefined) throw notFound('no node of this rollup is followed here');
    // With the escapes that the client wrote.
    const { pathname, search } = new URL(url);
    const path = `/v1/${pathname.replace(/^.*?\/views\//, '')}`;
    // A node whose offers are not known answers itself.
    if (!isOffered(indexer.state().offers, path)) throw notFound('the node of this rollup does not offer this');
    return mapped(upstream('the node of this rollup'), () => indexer.node.get(`${path}${search}`, context.signal));
  });
