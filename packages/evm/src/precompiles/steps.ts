/**
 * Work of a precompiled contract that may take long, a few milliseconds at a time. Between its steps others may have their
 * turn, and may make other calls. Undefined when the call failed.
 */
export type Steps = Generator<undefined, Uint8Array | undefined, undefined>;

/** All of it at once. */
export function drained<Result>(steps: Generator<undefined, Result, undefined>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
