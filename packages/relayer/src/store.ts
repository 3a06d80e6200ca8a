import { type StoreDamaged, StoreFile } from '@switchyard/storage';
import { decodeState, encodeState, type Pending, type RelayerState } from './state.ts';

/** Where the state is kept. */
export interface StateStore {
  read(): RelayerState | undefined;
  /** In the place of the one before, whole or not at all; on disk when it resolves. */
  write(state: RelayerState): Promise<void>;
  close(): Promise<void>;
}

const KEY = 'state';
/** Of transactions under way, which are large and do not change: each is written once. */
const bytesKey = (id: string): string => `bytes/${id}`;
const NONE = new Uint8Array();

/** @throws {StoreDamaged} */
export function openStateStore(directory: string, onDamage?: (error: StoreDamaged) => void): StateStore {
  const file = new StoreFile<string>(directory, 'relayer-state', { keys: 'text', onDamage });
  const kept = new Set(Array.from(file.main.keys({ start: bytesKey(''), end: bytesKey('~') })));
  return {
    read() {
      const bytes = file.main.get(KEY);
      if (bytes === undefined) return undefined;
      const state = decodeState(Uint8Array.from(bytes));
      return { ...state, pending: state.pending.map((each) => ({ ...each, bytes: bytesOf(each) })) };
    },
    async write(state) {
      const pending = new Map(state.pending.map((each) => [bytesKey(each.id), each.bytes]));
      const done = Array.from(kept).filter((key) => !pending.has(key));
      const record = encodeState({ ...state, pending: state.pending.map((each) => ({ ...each, bytes: NONE })) });
      await file.batch(() => {
        void file.main.put(KEY, record);
        for (const [key, bytes] of pending) if (!kept.has(key)) void file.main.put(key, bytes);
        for (const key of done) void file.main.remove(key);
      });
      for (const key of pending.keys()) kept.add(key);
      for (const key of done) kept.delete(key);
    },
    close: () => file.close(),
  };

  function bytesOf({ id, bytes }: Pending): Uint8Array {
    // Of a version that had one transaction under way, and its bytes with the rest.
    if (bytes.length > 0) return bytes;
    const found = file.main.get(bytesKey(id));
    if (found === undefined) throw new Error(`${directory} has no bytes of transaction ${id}, which is under way`);
    return Uint8Array.from(found);
  }
}
