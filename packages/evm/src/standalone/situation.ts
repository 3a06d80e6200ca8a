import type { StateWriter } from '@switchyard/evm-machine/state';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import type { PoolTransaction } from '../pool/pool.ts';

/** A change of the state that no transaction made. */
export type Edit = (state: StateWriter) => void;

export interface Waiting extends Omit<PoolTransaction, 'state'> {
  /** JSON-RPC method by which it was sent, for the log. */
  readonly method?: string | undefined;
}

/** A write of one block, or of several empty ones. */
export interface Written {
  readonly firstBlock: bigint;
  /** The database's, before it. */
  readonly moment: number;
}

/** All of a standalone chain that is not in its database. Values are replaced and never changed, so a snapshot is one. */
export interface Situation {
  /** On top of the state after a block: part of it for queries, and for the block that follows. */
  readonly edits: ReadonlyMap<bigint, readonly Edit[]>;
  /** In the order in which they came. */
  readonly waiting: readonly Waiting[];
  /** Seconds that blocks are ahead of the time of day. */
  readonly ahead: bigint;
  /** Values for the next block only: this one and the two after it. */
  readonly nextTimestamp: bigint | undefined;
  readonly nextBaseFee: bigint | undefined;
  readonly nextPrevRandao: Hash | undefined;
  /** Seconds between the times of two blocks; undefined for the time of day. */
  readonly interval: bigint | undefined;
  readonly coinbase: Address;
  readonly gasLimit: bigint;
  /** The newest writes, oldest first: how far back blocks can be taken back. */
  readonly writes: readonly Written[];
}

/** The transactions that the next block can hold: for each sender those whose nonces follow each other. */
export function executable(waiting: readonly Waiting[], getNonce: (account: Address) => bigint): readonly Waiting[] {
  const next = new Map<Address, bigint>();
  const found: Waiting[] = [];
  // Transactions of one sender may have come in any order.
  const sorted = new Map<Address, Waiting[]>();
  for (const each of waiting) sorted.set(each.from, [...(sorted.get(each.from) ?? []), each]);
  for (const list of sorted.values()) list.sort((left, right) => (left.nonce < right.nonce ? -1 : 1));
  for (const { from } of waiting) {
    const [first, ...rest] = sorted.get(from) ?? [];
    const nonce = next.get(from) ?? getNonce(from);
    if (first === undefined || first.nonce !== nonce) continue;
    found.push(first);
    next.set(from, nonce + 1n);
    sorted.set(from, rest);
  }
  return found;
}
