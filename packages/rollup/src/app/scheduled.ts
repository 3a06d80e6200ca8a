import {
  accountId,
  bytes,
  pair,
  type StateReader,
  type StateWriter,
  struct,
  table,
  text,
  txHash,
  u32,
  u32Key,
  u64,
  u64Key,
} from '@switchyard/machine/browser';
import { type AccountId, fromHex, sha256, type Timestamp, type TxHash, toHex } from '@switchyard/protocol';

/*
 * Actions that wait for a block or a time, in the authenticated state. Due actions are executed behind the
 * transactions of their block, as the account that scheduled them, each with a receipt of its own.
 */

/** Executed in a block, at most: the others wait for the next one. A rule of the chain. */
export const MOST_DUE = 64;

/** The first block that executes it: this one, or the first whose time is these seconds since 1970 or later. */
export type ScheduledAt = { readonly block: bigint } | { readonly time: bigint };

export interface Scheduled {
  readonly id: TxHash;
  readonly signer: AccountId;
  /** The action in the encoding of its definition. */
  readonly action: Uint8Array;
  /** That it may take: all that are due in one block share the steps of a block together. */
  readonly steps: number;
}

const row = struct({ id: txHash, signer: accountId, steps: u32, action: bytes });
const getQueue = (name: 'blocks' | 'times') =>
  table({ prefix: `scheduled/${name}/`, key: pair(u64Key, u64Key), value: row });
const queues = { blocks: getQueue('blocks'), times: getQueue('times') };
const places = table({ prefix: 'scheduled/ids/', key: txHash, value: struct({ queue: text, at: u64, number: u64 }) });
const next = table({ prefix: 'scheduled/next/', key: u32Key, value: u64, absent: 0n });

/** @param place Position of the action in its transaction, and of this call in that. */
export function scheduledId(transaction: TxHash, place: readonly [action: number, call: number]): TxHash {
  const facts = new Uint8Array(40);
  facts.set(fromHex(transaction));
  place.forEach((each, index) => {
    new DataView(facts.buffer).setUint32(32 + 4 * index, each);
  });
  // 32 bytes in lower-case hex, as the brand requires.
  return toHex(sha256(DOMAIN, facts)) as TxHash;
}

const DOMAIN = new TextEncoder().encode('switchyard scheduled action 1\n');

export function putScheduled(state: StateWriter, at: ScheduledAt, scheduled: Scheduled): void {
  const number = next.get(state, 0);
  next.put(state, 0, number + 1n);
  const [queue, first] = 'block' in at ? (['blocks', at.block] as const) : (['times', at.time] as const);
  queues[queue].put(state, [first, number], scheduled);
  places.put(state, scheduled.id, { queue, at: first, number });
}

/** @returns false if nothing of this id and account waits. */
export function cancelScheduled(state: StateWriter, id: TxHash, account: AccountId): boolean {
  const place = places.get(state, id);
  if (place === undefined) return false;
  const { at, number } = place;
  // Only the name of a queue is written.
  const queue = queues[place.queue as keyof typeof queues];
  if (queue.get(state, [at, number])?.signer !== account) return false;
  queue.delete(state, [at, number]);
  places.delete(state, id);
  return true;
}

interface Due {
  readonly block: bigint;
  readonly time: Timestamp;
  /** Steps of a block: no single action may take more. */
  readonly steps: number;
}

/** Takes due actions out of the state. The earliest scheduled come first, so that none waits for ever. */
export function takeDue(state: StateWriter, { block, time, steps }: Due): readonly Scheduled[] {
  const due = [
    ...dueIn('blocks', state, block),
    // A time is never before 1970 if there is something to compare it with.
    ...dueIn('times', state, time.seconds),
  ];
  let left = steps;
  const inOrder = due.sort((one, other) => (one.number < other.number ? -1 : 1)).slice(0, MOST_DUE);
  const end = inOrder.findIndex(({ scheduled }) => {
    left -= scheduled.steps;
    return left < 0;
  });
  const taken = end < 0 ? inOrder : inOrder.slice(0, end);
  for (const { queue, at, number, scheduled } of taken) {
    queues[queue].delete(state, [at, number]);
    places.delete(state, scheduled.id);
  }
  return taken.map(({ scheduled }) => scheduled);
}

function dueIn(queue: keyof typeof queues, state: StateReader, last: bigint) {
  if (last < 0n) return [];
  const rows = queues[queue].range(state, { before: [last + 1n, 0n], limit: MOST_DUE });
  return [...rows].map(([[at, number], scheduled]) => ({ queue, at, number, scheduled }));
}
