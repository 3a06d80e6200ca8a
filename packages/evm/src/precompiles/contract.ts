/** A precompiled contract: synchronous, without state. */
export interface Precompile {
  /** For this input, above 2^53 where it is more than any call has. */
  readonly gas: (input: Uint8Array) => number;
  /** @returns Undefined where it fails, which takes all gas of the call. */
  readonly run: (input: Uint8Array) => Uint8Array | undefined;
}
