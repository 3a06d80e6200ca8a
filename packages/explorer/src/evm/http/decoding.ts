import type { Row } from '../../store/store.ts';
import type { Decoded } from '../decode/decode.ts';
import type { EvmNode } from '../evm-node.ts';

interface DecodedRollup {
  readonly id: string;
  readonly node: EvmNode;
}

/** Reads what bytes mean. Addresses are lower-case hex without `0x`, bytes have it. */
export interface Decoding {
  call(rollup: DecodedRollup, to: string, input: string): Promise<Decoded | undefined>;
  method(rollup: DecodedRollup, to: string, input: string): Promise<string | undefined>;
  log(
    rollup: DecodedRollup,
    log: { readonly address: string; readonly topics: readonly string[]; readonly data: string },
  ): Promise<Decoded | undefined>;
  revert(rollup: DecodedRollup, to: string, data: string): Promise<Decoded | undefined>;
}

/** Names of the functions that transactions or calls of a page name by selectors. @param rows With `to` and `input`. */
export async function methodsOf(
  { decoder }: { readonly decoder?: Decoding | undefined },
  rollup: DecodedRollup,
  rows: readonly Row[],
): Promise<(row: Row) => string | null> {
  if (decoder === undefined) return () => null;
  const names = new Map<string, Promise<string | undefined>>();
  const keyOf = ({ to, input }: Row) => `${String(to)} ${String(input).slice(0, 8)}`;
  for (const row of rows) {
    const { to, input } = row;
    if (typeof to !== 'string' || typeof input !== 'string' || input.length < 8) continue;
    // Calls of the same function of the same contract are asked for once.
    if (!names.has(keyOf(row))) names.set(keyOf(row), decoder.method(rollup, to, `0x${input}`));
  }
  const found = new Map<string, string | undefined>();
  for (const [key, name] of names) found.set(key, await name);
  return (row) => found.get(keyOf(row)) ?? null;
}
