import { errorLine, type Logger } from '@switchyard/service';

/** Whether a peer answers. Logs once per change, not once per attempt. */
export class Contact {
  readonly #peer: string;
  readonly #url: string;
  readonly #log: Logger;
  readonly #secretSetting: string;
  #state: 'unknown' | 'answers' | 'away' | 'refuses' = 'unknown';
  #reason: string | undefined;

  /** @param secretSetting The setting that names the secret which the peer may ask for. */
  constructor(peer: string, url: string, log: Logger, secretSetting = '') {
    this.#peer = peer;
    this.#url = url;
    this.#log = log;
    this.#secretSetting = secretSetting;
  }

  /** Why it cannot be worked with; undefined if it answers. */
  get trouble(): string | undefined {
    if (this.#state === 'answers') return undefined;
    const how = this.#state === 'refuses' ? 'refuses this process' : 'is away';
    return `the ${this.#peer} at ${this.#url} ${this.#reason === undefined ? 'has not answered yet' : `${how}: ${this.#reason}`}`;
  }

  answered(): void {
    if (this.#state === 'away' || this.#state === 'refuses') {
      this.#log.info({ url: this.#url }, `connected to the ${this.#peer}`);
    }
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

  /** It answers, and wants another credential. */
  unauthenticated(error: unknown): void {
    const reason = errorLine(error);
    const fields = { url: this.#url, reason, setting: this.#secretSetting };
    if (this.#state === 'refuses') this.#log.debug(fields, `the ${this.#peer} still refuses this process`);
    else this.#log.error(fields, `the ${this.#peer} does not accept the secret of this process; check the setting`);
    this.#state = 'refuses';
    this.#reason = reason;
  }
}
