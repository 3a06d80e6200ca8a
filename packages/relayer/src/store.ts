import { type StoreDamaged, StoreFile } from '@switchyard/storage';
import { decodePosted, encodePosted, type Posted, type PostedBlock, postedBlocks, postedKey } from './posted.ts';
import { decodeState, encodeState, type Pending, type RelayerState } from './state.ts';

export type StateStore = ReturnType<typeof openStateStore>;

const KEY = 'state';
/** Key for the bytes of a transaction under way, which are large and do not change: each is written once. */
const bytesKey = (id: string): string => `bytes/${id}`;
const NONE = new Uint8Array();
/** Older blocks than this many are forgotten: some days of blocks of one second, in some 100 MB. */
const KEPT_BLOCKS = 1_000_000n;
/** Records that are removed with one write, which adds a few. */
const FORGOTTEN_AT_ONCE = 64;

/** Storage of the state. @throws {StoreDamaged} */
export function openStateStore(directory: string, onDamage?: (error: StoreDamaged) => void) {
  const file = new StoreFile<string>(directory, 'relayer-state', { keys: 'text', onDamage });
  const kept = new Set(Array.from(file.main.keys({ start: bytesKey(''), end: bytesKey('~') })));
  return {
    read(): RelayerState | undefined {
      const bytes = file.main.get(KEY);
      if (bytes === undefined) return undefined;
      const state = decodeState(Uint8Array.from(bytes));
      return { ...state, pending: state.pending.map((each) => ({ ...each, bytes: toBytes(each) })) };
    },
    /** The blocks of a range that are known to be in the layer, rising. */
    posted(from: bigint, to: bigint): readonly PostedBlock[] {
      return postedBlocks(recordsFrom(from), from, to);
    },
    /**
     * In the place of the one before, whole or not at all; on disk when it resolves.
     *
     * @param posted Blocks that the layer has since then.
     */
    async write(state: RelayerState, posted: readonly Posted[] = []): Promise<void> {
      const pending = new Map(state.pending.map((each) => [bytesKey(each.id), each.bytes]));
      const done = Array.from(kept).filter((key) => !pending.has(key));
      const record = encodeState({ ...state, pending: state.pending.map((each) => ({ ...each, bytes: NONE })) });
      const forgotten = posted.length === 0 ? [] : Array.from(keysBelow(state.next.height - KEPT_BLOCKS));
      await file.batch(() => {
        void file.main.put(KEY, record);
        for (const each of posted) void file.main.put(postedKey(each.to), encodePosted(each));
        for (const key of forgotten) void file.main.remove(key);
        for (const [key, bytes] of pending) if (!kept.has(key)) void file.main.put(key, bytes);
        for (const key of done) void file.main.remove(key);
      });
      for (const key of pending.keys()) kept.add(key);
      for (const key of done) kept.delete(key);
    },
    close: () => file.close(),
  };

  function* recordsFrom(height: bigint): Iterable<Posted> {
    const range = { start: postedKey({ height, entry: 1 }), end: 'posted/~' };
    for (const [, bytes] of file.main.entries(range)) yield decodePosted(Uint8Array.from(bytes));
  }

  function keysBelow(height: bigint): Iterable<string> {
    if (height <= 0n) return [];
    const end = postedKey({ height, entry: 0 });
    return file.main.keys({ start: 'posted/', end, limit: FORGOTTEN_AT_ONCE });
  }

  function toBytes({ id, bytes }: Pending): Uint8Array {
    // A version with one transaction under way kept its bytes with the rest.
    if (bytes.length > 0) return bytes;
    const found = file.main.get(bytesKey(id));
    if (found === undefined) throw new Error(`${directory} has no bytes of transaction ${id}, which is under way`);
    return Uint8Array.from(found);
  }
}
