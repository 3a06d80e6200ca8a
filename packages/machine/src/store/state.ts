/** Longest key in characters. Keys are ASCII, so these are bytes too. */
export const MAX_KEY_LENGTH = 500;

export interface StateReader {
  /** The bytes belong to the store: read them, never write into them. */
  get(key: string): Uint8Array | undefined;
}

export interface StateWriter extends StateReader {
  /** Takes `value` over: the caller must not change it afterwards. */
  put(key: string, value: Uint8Array): void;
  delete(key: string): void;
}
