import { readFileSync } from 'node:fs';

export interface Vector {
  /** Transaction as a node shows it. */
  readonly object: Readonly<Record<string, unknown>> & {
    readonly hash: string;
    readonly nonce: string;
    readonly from: string;
  };
  /** EIP-2718, hex. */
  readonly raw: string;
}

/** Transactions of types 0, 1, 2 and 4 of one sender, with nonces from 0. */
export function vectors(): readonly Vector[] {
  const file = new URL('../../../testdata/evm-transactions.json', import.meta.url);
  // The file is ours.
  return (JSON.parse(readFileSync(file, 'utf8')) as { transactions: Vector[] }).transactions;
}

export function vector(index: number): Vector {
  const found = vectors()[index];
  if (found === undefined) throw new Error(`no vector ${index}`);
  return found;
}

export function toBytes({ raw }: Vector): Uint8Array {
  return Uint8Array.from(Buffer.from(raw.slice(2), 'hex'));
}
