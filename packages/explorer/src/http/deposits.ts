import type { RollupId } from '@switchyard/protocol';
import type { AnyRoute } from '@switchyard/service/api';
import { deposit } from '../contract/bridging.ts';
import { rollups } from '../contract/rollups.ts';
import { sequencer } from '../contract/sequencer.ts';
import { refusedDeposits } from '../evm/deposit-id.ts';
import { sameHash } from '../store/statements.ts';
import type { Row } from '../store/store.ts';
import { ofAccount } from './account-parameter.ts';
import { text, textOrNull } from './cells.ts';
import { type ApiContext, isEvm } from './context.ts';
import { listRoute } from './list-route.ts';
import { getRollup } from './rollups.ts';
import { type ComputedOf, view } from './view.ts';

const DEPOSITS = view(
  deposit,
  `deposits d JOIN blocks b ON b.height = d.height
  LEFT JOIN rollup_blocks r ON r.rollup = d.rollup AND ${sameHash('r.sequencer_hash', 'b.hash')}
  LEFT JOIN skipped_deposits k ON k.transaction_hash = d.transaction_hash AND k.rollup = d.rollup AND k.action = d.action`,
  { time: 'b.time', transaction: 'd.transaction_hash', block: 'r.number', skipped: 'k.reason' },
);

/** Deposits as the sequencer has them, and the outcome of each. */
export function depositRoutes(context: ApiContext): readonly AnyRoute[] {
  const list = {
    view: DEPOSITS,
    by: { 'd.height': 'number', 'd.position': 'number' },
    compute: (rows: readonly Row[]) => outcomes(context, rows),
  } as const;
  return [
    listRoute(context, rollups.listRollupDeposits, {
      ...list,
      where: ({ rollup }) => ['d.rollup = ?', getRollup(context, rollup)],
    }),
    listRoute(context, ofAccount(sequencer.listAccountDeposits), {
      ...list,
      where: ({ address }) => [
        ['d.bridge = ?', address],
        ['d.sender = ?', address],
      ],
    }),
  ];
}

async function outcomes(context: ApiContext, rows: readonly Row[]): Promise<ComputedOf<typeof deposit>> {
  const refused = await refusedByEvm(context, rows);
  return (row) => {
    const reason = textOrNull(row.skipped) ?? refused(row) ?? null;
    return { state: row.block === null ? 'sequenced' : reason === null ? 'credited' : 'refused', reason };
  };
}

/** EVM nodes know deposits by other names. */
async function refusedByEvm(context: ApiContext, rows: readonly Row[]): Promise<(row: Row) => string | undefined> {
  const ids = [...new Set(rows.map(({ rollup }) => text(rollup)))].filter((id) => isEvm(context, id));
  const found = await Promise.all(
    ids.map(async (id) => {
      const own = rows.filter(({ rollup }) => rollup === id);
      return [id, await refusedDeposits(context.store, id as RollupId, own)] as const;
    }),
  );
  const reasons = new Map(found);
  return (row) => reasons.get(text(row.rollup))?.(row);
}
