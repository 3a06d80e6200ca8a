/** Longest key in characters. Keys are ASCII, so these are bytes too. */
export const MAX_KEY_LENGTH = 500;

export interface KeyBounds {
  readonly prefix: string;
  /** Whole keys, both exclusive. */
  readonly after?: string;
  readonly before?: string;
  /** Descending, from the last key that fits. */
  readonly reverse?: boolean;
}

export interface RangeOptions extends KeyBounds {
  readonly limit: number;
}

export type Row = readonly [key: string, value: Uint8Array];

export interface StateReader {
  /** The bytes belong to the store: read them, never write into them. */
  get(key: string): Uint8Array | undefined;
  /** Rows in the order of the bytes of their keys, read in one go. */
  range(options: RangeOptions): readonly Row[];
}

export interface StateWriter extends StateReader {
  /** Takes `value` over: the caller must not change it afterwards. */
  put(key: string, value: Uint8Array): void;
  delete(key: string): void;
}
