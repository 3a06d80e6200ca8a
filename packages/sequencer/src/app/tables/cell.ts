import { decodeValue, encodeValue, type StateReader, type StateWriter, type ValueCodec } from '@switchyard/machine';

/** One typed value under one key. */
export interface Cell<V, Absent> {
  readonly key: string;
  get(state: StateReader): V | Absent;
  put(state: StateWriter, value: V): void;
}

export function cell<V>(key: string, value: ValueCodec<V>, absent: V): Cell<V, V>;
export function cell<V>(key: string, value: ValueCodec<V>): Cell<V, undefined>;
export function cell<V>(key: string, value: ValueCodec<V>, absent?: V): Cell<V, V | undefined> {
  return {
    key,
    get(state) {
      const stored = state.get(key);
      return stored === undefined ? absent : decodeValue(value, stored);
    },
    put: (state, content) => state.put(key, encodeValue(value, content)),
  };
}

/** For cells that genesis fills and nothing empties: not finding one means a damaged database. */
export function present<V>(content: Cell<V, undefined>, state: StateReader): V {
  const value = content.get(state);
  if (value === undefined) throw new Error(`the state has no ${content.key}`);
  return value;
}
