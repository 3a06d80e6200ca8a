/* Submitting with the next nonce of an account. This file also runs in web pages. */

/** Other senders of the same account may take the nonce between asking for it and using it. */
const NONCE_TRIES = 3;
/** The node waits for its composer at each; the same bytes are never taken twice. */
const UNCLEAR_TRIES = 3;

export interface NextAndSubmit<N, T> {
  /** All that is signed besides the actions, with the next nonce. */
  next(): Promise<N>;
  submit(bytes: Uint8Array): Promise<T>;
}

/**
 * Signs with the next nonce and submits, again if another sender has taken the nonce in the meantime. An unclear outcome is
 * cleared up with the same bytes, since different bytes would make a different transaction.
 */
export async function submitNext<N, T>(
  rollup: NextAndSubmit<N, T>,
  sign: (next: N) => Uint8Array | Promise<Uint8Array>,
): Promise<{ readonly next: N; readonly submitted: T }> {
  for (let attempt = 1; ; attempt += 1) {
    const next = await rollup.next();
    const bytes = await sign(next);
    for (let sent = 1; ; sent += 1) {
      try {
        return { next, submitted: await rollup.submit(bytes) };
      } catch (error) {
        if (sent < UNCLEAR_TRIES && getCode(error) === 'outcome-unknown') continue;
        // Behind an unclear answer it may be these bytes that have used the nonce.
        const isTaken = sent === 1 && ['nonce-too-low', 'nonce-taken'].includes(getCode(error));
        if (!isTaken || attempt >= NONCE_TRIES) throw error;
        break;
      }
    }
  }
}

/** The code of a refusal, regardless of the class of its error. */
function getCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
