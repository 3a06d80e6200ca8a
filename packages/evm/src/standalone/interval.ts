import { type Clock, errorLine, type Logger } from '@switchyard/service';

/** Makes blocks at even intervals, or none if that is 0. */
export class Interval {
  readonly #deps: { readonly clock: Clock; readonly log: Logger; readonly mine: () => Promise<unknown> };
  #cancel: (() => void) | undefined;
  #isStopped = false;
  /** Seconds between blocks; 0 for none. */
  seconds = 0;

  constructor(deps: { readonly clock: Clock; readonly log: Logger; readonly mine: () => Promise<unknown> }) {
    this.#deps = deps;
  }

  set(seconds: number): void {
    this.seconds = seconds;
    this.#cancel?.();
    this.#cancel = undefined;
    if (seconds <= 0 || this.#isStopped) return;
    const { clock, log, mine } = this.#deps;
    const fire = async (): Promise<void> => {
      const scheduled = this.#cancel;
      await mine().catch((error: unknown) => log.error({ error: errorLine(error) }, 'no block was made'));
      // Another interval may have been set in the meantime.
      if (this.#cancel === scheduled) this.set(seconds);
    };
    this.#cancel = clock.after(seconds * 1_000, () => void fire());
  }

  stop(): void {
    this.#isStopped = true;
    this.set(0);
  }
}
