import { errorLine, type Logger } from '@switchyard/service';

/** Whether a peer answers. What happens to it is said once per change, not once per attempt. */
export class Contact {
  readonly #peer: string;
  readonly #url: string;
  readonly #log: Logger;
  #state: 'unknown' | 'answers' | 'away' = 'unknown';
  #reason: string | undefined;

  constructor(peer: string, url: string, log: Logger) {
    this.#peer = peer;
    this.#url = url;
    this.#log = log;
  }

  /** Why it cannot be worked with; undefined if it answers. */
  get trouble(): string | undefined {
    if (this.#state === 'answers') return undefined;
    return `the ${this.#peer} at ${this.#url} ${this.#reason === undefined ? 'has not answered yet' : `is away: ${this.#reason}`}`;
  }

  answered(): void {
    if (this.#state === 'away') this.#log.info({ url: this.#url }, `the ${this.#peer} answers again`);
    this.#state = 'answers';
    this.#reason = undefined;
  }

  lost(error: unknown): void {
    const reason = errorLine(error);
    const fields = { url: this.#url, reason };
    if (this.#state === 'away') this.#log.debug(fields, `the ${this.#peer} is still away`);
    else this.#log.warn(fields, `waiting for the ${this.#peer}`);
    this.#state = 'away';
    this.#reason = reason;
  }
}
