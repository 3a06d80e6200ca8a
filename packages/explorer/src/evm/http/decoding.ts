import type { Row } from '../../store/store.ts';
import type { ContractRollup } from '../verify/verified-contracts.ts';
import type { EvmContext } from './context.ts';

/** Names of the functions that transactions or calls of a page name by selectors. @param rows With `to` and `input`. */
export async function getMethods(
  { contracts: { decoder } }: Pick<EvmContext, 'contracts'>,
  rollup: ContractRollup,
  rows: readonly Row[],
): Promise<(row: Row) => string | null> {
  const names = new Map<string, Promise<string | undefined>>();
  const toKey = ({ to, input }: Row) => `${String(to)} ${String(input).slice(0, 8)}`;
  for (const row of rows) {
    const { to, input } = row;
    if (typeof to !== 'string' || typeof input !== 'string' || input.length < 8) continue;
    // Calls of the same function of the same contract are looked up once.
    if (!names.has(toKey(row))) names.set(toKey(row), decoder.method(rollup, to, `0x${input}`));
  }
  const found = new Map<string, string | undefined>();
  for (const [key, name] of names) found.set(key, await name);
  return (row) => found.get(toKey(row)) ?? null;
}
