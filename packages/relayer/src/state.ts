/** Posted blocks and transactions under way, as the relayer keeps them on disk. Pure. */
import { Rejected, stored, storedRecord } from '@switchyard/protocol';

const { u64, u32, text, bytes, optional, list } = stored;

/**
 * Position from which posting continues. All blocks below `height` are in the layer, and of the block at `height` the data of its first
 * `entry` rollups: more than none only while a block that is too large for one transaction is posted.
 */
export type Position = ReturnType<typeof position.decode>;
const position = storedRecord('Position', { height: [1, u64], entry: [2, u32] });

/** A signed transaction that may have been sent. Nothing else may be signed for its blocks unless it is known to be lost. */
export type Pending = ReturnType<typeof pending.decode>;
const pending = storedRecord('Pending', {
  id: [1, text],
  bytes: [2, bytes],
  lastHeight: [3, u64],
  fee: [4, u64],
  /** Position from which posting continues once it is included. */
  to: [5, position],
  /** Hash of the block before that, if it is whole with this transaction. 32 bytes. */
  hash: [6, optional(bytes)],
  /** Height of the layer that has it. It is kept while one before it is in none. */
  daHeight: [7, optional(u64)],
});

export type RelayerState = ReturnType<typeof relayerState.decode>;
const relayerState = storedRecord('RelayerState', {
  sequencerChainId: [1, text],
  daChainId: [2, text],
  next: [3, position],
  /** Hash of the block before `next.height`, 32 bytes: the next one must follow it. Undefined if none was posted. */
  hash: [4, optional(bytes)],
  /** Height of the layer that has the last transaction. */
  daHeight: [5, optional(u64)],
  /** Paid for all of them, in the smallest unit. */
  fees: [6, u64],
  /** Transactions under way, each of the blocks behind those of the one before. */
  pending: [7, list(pending)],
});

export const firstState = (sequencerChainId: string, daChainId: string, height: bigint): RelayerState => ({
  ...{ sequencerChainId, daChainId, next: { height, entry: 0 } },
  ...{ hash: undefined, daHeight: undefined, fees: 0n, pending: [] },
});

/** With these transactions under way: the layer's blocks up to the first missing one are finished. */
export function settled(state: RelayerState, pending: readonly Pending[]): RelayerState {
  const [first, ...rest] = pending;
  if (first?.daHeight === undefined) return { ...state, pending };
  const { to, hash = state.hash, fee } = first;
  const daHeight = state.daHeight !== undefined && state.daHeight > first.daHeight ? state.daHeight : first.daHeight;
  return settled({ ...state, next: to, hash, daHeight, fees: state.fees + fee }, rest);
}

/** Behind all that is posted or under way, with the hash of the block before. */
export function getEnd({ next, hash, pending }: RelayerState): Pick<RelayerState, 'next' | 'hash'> {
  return pending.reduce((end, { to, hash: item = end.hash }) => ({ next: to, hash: item }), { next, hash });
}

export const encodeState = (state: RelayerState): Uint8Array => relayerState.encode(state);

/** @throws {Rejected} `malformed` */
export function decodeState(bytes: Uint8Array): RelayerState {
  const state = relayerState.decode(bytes);
  if (state.next.height < 1n) throw new Rejected('malformed', { message: 'RelayerState', expected: 'a height' });
  return state;
}
