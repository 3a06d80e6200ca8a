import { type Clock, RateLimit } from '@switchyard/service';
import type { Item } from '../queue/items.ts';
import type { FeeRate } from '../sequencer/sequencer.ts';

const HOUR_S = 3_600;
/** How long a refusal is shown. */
const SHOWN_MS = 10_000;

/** Upper bound of the account's payments for submissions, regardless of their senders. */
export class FeeBudget {
  readonly #perHour: number;
  readonly #limit: RateLimit;
  readonly #rate: () => FeeRate;
  readonly #clock: Clock;
  #refusedAt = Number.NEGATIVE_INFINITY;

  /** @param rate Undefined while it is not known: then nothing counts. */
  constructor(perHour: number, { rate, clock }: { readonly rate: () => FeeRate; readonly clock: Clock }) {
    this.#perHour = perHour;
    this.#limit = new RateLimit({ burst: perHour, perSecond: perHour / HOUR_S, maxClients: 1 });
    this.#rate = rate;
    this.#clock = clock;
  }

  /** Why submissions are refused, while some were just now. */
  get refusal(): string | undefined {
    if (this.#clock.now() - this.#refusedAt >= SHOWN_MS) return undefined;
    return `submissions may cost ${this.#perHour} in an hour, and have; try again later`;
  }

  /** Takes the fees of these items, or returns why it takes none. */
  take(items: readonly Item[]): string | undefined {
    const { base, perByte } = this.#rate() ?? { base: 0n, perByte: 0n };
    const fee = items.reduce((sum, { data }) => sum + base + perByte * BigInt(data.length), 0n);
    const now = this.#clock.now();
    if (this.#limit.take('', Number(fee), now)) return undefined;
    this.#refusedAt = now;
    return this.refusal;
  }
}
