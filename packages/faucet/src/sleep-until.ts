import { type Clock, type Notifier, sleep } from '@switchyard/service';

/** Resolves after `ms`, at the next notification, or when the signal aborts: whatever comes first. */
export async function sleepUntil(notifier: Notifier, ms: number, signal: AbortSignal, clock: Clock): Promise<void> {
  const over = new AbortController();
  const end = (): void => over.abort(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  const waits = [sleep(ms, over.signal, clock), notifier.wait(over.signal)];
  await Promise.race(waits).catch(() => undefined);
  signal.removeEventListener('abort', end);
  end();
  await Promise.allSettled(waits);
}
