import { fromHex, type RollupId, toHex } from '@switchyard/protocol';
import { keccak256 } from '@switchyard/protocol/ethereum';
import { readIn } from '../store/read-in.ts';
import type { IndexStore, Row } from '../store/store.ts';

/** Under which an EVM node knows a deposit: Keccak-256 of rollup, source transaction and position in it. */
function depositId(rollup: RollupId, transaction: string, action: number): string {
  const position = new Uint8Array(8);
  new DataView(position.buffer).setBigUint64(0, BigInt(action));
  return toHex(keccak256(new Uint8Array([...fromHex(rollup), ...fromHex(transaction), ...position])));
}

/** Why an EVM rollup refused deposits. @param rows With `transaction` and `action` of deposits. @returns the reason for a row, if it was refused. */
export async function refusedDeposits(
  store: Pick<IndexStore, 'read'>,
  rollup: RollupId,
  rows: readonly Row[],
): Promise<(row: Row) => string | undefined> {
  const getId = (row: Row) => depositId(rollup, String(row.transaction), Number(row.action));
  const sql = 'SELECT hash, reason FROM refusals WHERE rollup = ? AND hash';
  const found = await readIn(store, sql, [rollup], new Set(rows.map(getId)));
  const reasons = new Map(found.map(({ hash, reason }) => [hash, String(reason)]));
  return (row) => reasons.get(getId(row));
}
