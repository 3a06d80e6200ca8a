/** Posted blocks and transactions under way, as the relayer keeps them on disk. Pure. */
import { Reader, Rejected, Writer } from '@switchyard/protocol';

/**
 * Where posting continues. All blocks below `height` are in the layer, and of the block at `height` the data of its first
 * `entry` rollups: more than none only while a block that is too large for one transaction is posted.
 */
export interface Position {
  readonly height: bigint;
  readonly entry: number;
}

/** A signed transaction that may have been sent. Nothing else may be signed for its blocks unless it is known to be lost. */
export interface Pending {
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly lastHeight: bigint;
  readonly fee: bigint;
  /** Where posting continues once it is included. */
  readonly to: Position;
  /** Hash of the block before that, if it is whole with this transaction. 32 bytes. */
  readonly hash: Uint8Array | undefined;
  /** Height of the layer that has it. It is kept while one before it is in none. */
  readonly daHeight: bigint | undefined;
}

export interface RelayerState {
  readonly sequencerChainId: string;
  readonly daChainId: string;
  readonly next: Position;
  /** Hash of the block before `next.height`, 32 bytes: the next one must follow it. Undefined where none was posted. */
  readonly hash: Uint8Array | undefined;
  /** Height of the layer that has the last transaction. */
  readonly daHeight: bigint | undefined;
  /** Paid for all of them, in the smallest unit. */
  readonly fees: bigint;
  /** Transactions under way, each of the blocks behind those of the one before. */
  readonly pending: readonly Pending[];
}

export const firstState = (sequencerChainId: string, daChainId: string, height: bigint): RelayerState => ({
  ...{ sequencerChainId, daChainId, next: { height, entry: 0 } },
  ...{ hash: undefined, daHeight: undefined, fees: 0n, pending: [] },
});

/** With these transactions under way: what the layer has of them up to the first that it does not have is done with. */
export function settled(state: RelayerState, pending: readonly Pending[]): RelayerState {
  const [first, ...rest] = pending;
  if (first?.daHeight === undefined) return { ...state, pending };
  const { to, hash = state.hash, fee } = first;
  const daHeight = state.daHeight !== undefined && state.daHeight > first.daHeight ? state.daHeight : first.daHeight;
  return settled({ ...state, next: to, hash, daHeight, fees: state.fees + fee }, rest);
}

/** Behind all that is posted or under way, with the hash of the block before. */
export function endOf({ next, hash, pending }: RelayerState): Pick<RelayerState, 'next' | 'hash'> {
  return pending.reduce((end, { to, hash: of = end.hash }) => ({ next: to, hash: of }), { next, hash });
}

export function encodeState(state: RelayerState): Uint8Array {
  const { sequencerChainId, daChainId, next, hash, daHeight, fees, pending } = state;
  const length = pending.reduce((sum, { bytes }) => sum + bytes.length + 256, 512);
  const writer = new Writer(length).string(1, sequencerChainId).string(2, daChainId);
  writer.message(3, (position) => writePosition(position, next));
  if (hash !== undefined) writer.bytes(4, hash);
  if (daHeight !== undefined) writer.uint64(5, daHeight);
  writer.uint64(6, fees);
  for (const { id, bytes, lastHeight, fee, to, hash: of, daHeight: at } of pending) {
    writer.message(7, (message) => {
      message.string(1, id).bytes(2, bytes).uint64(3, lastHeight).uint64(4, fee);
      message.message(5, (position) => writePosition(position, to));
      if (of !== undefined) message.bytes(6, of);
      if (at !== undefined) message.uint64(7, at);
    });
  }
  return writer.finish();
}

/** @throws {Rejected} `malformed` */
export function decodeState(bytes: Uint8Array): RelayerState {
  const reader = new Reader(bytes, 'RelayerState');
  let state = firstState('', '', 0n);
  while (reader.next()) {
    if (reader.field === 1) state = { ...state, sequencerChainId: reader.string() };
    else if (reader.field === 2) state = { ...state, daChainId: reader.string() };
    else if (reader.field === 3) state = { ...state, next: readPosition(reader.message('Position')) };
    else if (reader.field === 4) state = { ...state, hash: reader.bytes() };
    else if (reader.field === 5) state = { ...state, daHeight: reader.uint64() };
    else if (reader.field === 6) state = { ...state, fees: reader.uint64() };
    else if (reader.field === 7)
      state = { ...state, pending: [...state.pending, readPending(reader.message('Pending'))] };
    else reader.skip();
  }
  if (state.next.height < 1n) throw new Rejected('malformed', { message: 'RelayerState', expected: 'a height' });
  return state;
}

function readPending(reader: Reader): Pending {
  let pending: Pending = {
    ...{ id: '', bytes: new Uint8Array(), lastHeight: 0n, fee: 0n },
    ...{ to: { height: 0n, entry: 0 }, hash: undefined, daHeight: undefined },
  };
  while (reader.next()) {
    if (reader.field === 1) pending = { ...pending, id: reader.string() };
    else if (reader.field === 2) pending = { ...pending, bytes: reader.bytes() };
    else if (reader.field === 3) pending = { ...pending, lastHeight: reader.uint64() };
    else if (reader.field === 4) pending = { ...pending, fee: reader.uint64() };
    else if (reader.field === 5) pending = { ...pending, to: readPosition(reader.message('Position')) };
    else if (reader.field === 6) pending = { ...pending, hash: reader.bytes() };
    else if (reader.field === 7) pending = { ...pending, daHeight: reader.uint64() };
    else reader.skip();
  }
  return pending;
}

const writePosition = (writer: Writer, { height, entry }: Position) => writer.uint64(1, height).uint32(2, entry);

function readPosition(reader: Reader): Position {
  let height = 0n;
  let entry = 0;
  while (reader.next()) {
    if (reader.field === 1) height = reader.uint64();
    else if (reader.field === 2) entry = reader.uint32();
    else reader.skip();
  }
  return { height, entry };
}
