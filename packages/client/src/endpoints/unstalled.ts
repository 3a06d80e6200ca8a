import { systemClock, TimedOut } from '@switchyard/service';

export interface StallOptions {
  /** Longest pause between two messages, and before the first. */
  readonly ms: number;
  readonly what: string;
  readonly signal: AbortSignal;
}

/**
 * The messages of a stream, cut with `TimedOut` if the next one takes too long. The time that the consumer takes for
 * a message does not count.
 *
 * @param open Opens the stream; it ends when its signal aborts.
 */
export async function* unstalled<T>(
  open: (cut: AbortSignal) => AsyncIterable<T>,
  { ms, what, signal }: StallOptions,
): AsyncGenerator<T> {
  signal.throwIfAborted();
  const cut = new AbortController();
  const forward = (): void => cut.abort(signal.reason);
  signal.addEventListener('abort', forward, { once: true });
  const late = (): void => cut.abort(new TimedOut(`${what}: the next message`, ms));
  let stop = systemClock.after(ms, late);
  try {
    for await (const message of open(cut.signal)) {
      stop();
      yield message;
      stop = systemClock.after(ms, late);
    }
  } catch (error) {
    // The error of an aborted stream is less specific than the reason it was aborted for.
    throw cut.signal.aborted ? cut.signal.reason : error;
  } finally {
    stop();
    signal.removeEventListener('abort', forward);
    cut.abort(new Error('the stream is not read any more'));
  }
}
