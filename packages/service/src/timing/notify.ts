/**
 * Wakes all waiting callers. Nothing is remembered: a notification that comes while no caller waits is gone, so callers look
 * at their condition first and wait in the same turn: `while (!ready()) await notifier.wait(signal)`.
 */
export class Notifier {
  #waiting = new Set<() => void>();

  /** Wakes everybody who waits now. */
  notify(): void {
    const woken = this.#waiting;
    if (woken.size === 0) return;
    this.#waiting = new Set();
    for (const wake of woken) wake();
  }

  /** Resolves at the next `notify`; rejects with the reason of `signal` when that aborts. */
  wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const wake = (): void => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      const abort = (): void => {
        this.#waiting.delete(wake);
        reject(signal.reason);
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', abort, { once: true });
    });
  }
}
