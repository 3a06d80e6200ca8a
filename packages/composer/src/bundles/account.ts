import type { Clock, Logger } from '@switchyard/service';
import type { FeeRate, Sequencer } from '../sequencer/sequencer.ts';
import type { Payer } from './bundle.ts';

const NOT_YET = 'not connected to the sequencer yet';

/** The state of the paying account, and why nothing can be submitted for it. */
export class Account {
  readonly #payer: Payer & { readonly address: string };
  readonly #log: Logger;
  readonly #clock: Clock;
  #balance: bigint | undefined;
  #rate: FeeRate;
  #trouble: string | undefined = NOT_YET;
  #isAway = false;
  #logged: string | undefined = NOT_YET;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(payer: Payer & { readonly address: string }, log: Logger, clock: Clock) {
    this.#payer = payer;
    this.#log = log;
    this.#clock = clock;
  }

  get balance(): bigint | undefined {
    return this.#balance;
  }

  /** Cost of submissions when it was looked at last. */
  get rate(): FeeRate {
    return this.#rate;
  }

  /** Why nothing can be submitted; undefined when it can. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Milliseconds since `look` succeeded. */
  get age(): number {
    return this.#clock.now() - this.#lookedAt;
  }

  /** @param lengths Lengths of the data of the next bundle's items; of one byte, if there is none. */
  async look(sequencer: Sequencer, lengths: Iterable<number>, signal: AbortSignal): Promise<void> {
    const balance = await sequencer.balance(signal);
    const rate = await sequencer.feeRate(signal);
    this.#balance = balance;
    this.#rate = rate;
    this.#lookedAt = this.#clock.now();
    const { address, feeAsset } = this.#payer;
    const needed = this.#fee(lengths);
    if (rate === undefined) {
      this.#report(`the sequencer does not accept ${feeAsset.text} for fees (SVC_COMPOSER_FEE_ASSET)`);
    } else if (balance < needed) {
      this.#report(
        `account ${address} has ${balance} ${feeAsset.text} and the next bundle costs ${needed}: send it more`,
      );
    } else this.#report(undefined);
  }

  /** The sequencer does not answer. */
  unreachable(why: string): void {
    this.#lookedAt = Number.NEGATIVE_INFINITY;
    this.#trouble = `the sequencer cannot be reached: ${why}`;
    // The reason may differ from one attempt to the next; it is logged once.
    if (!this.#isAway) this.#log.warn({ reason: this.#trouble }, 'cannot submit, waiting');
    this.#isAway = true;
  }

  #fee(lengths: Iterable<number>): bigint {
    if (this.#rate === undefined) return 0n;
    const { base, perByte } = this.#rate;
    let fee = 0n;
    for (const length of lengths) fee += base + perByte * BigInt(length);
    return fee === 0n ? base + perByte : fee;
  }

  /** Logs a problem once, and its end. */
  #report(trouble: string | undefined): void {
    this.#trouble = trouble;
    if (trouble === this.#logged && !this.#isAway) return;
    this.#isAway = false;
    if (trouble === undefined) this.#log.info('connected to sequencer');
    else this.#log.warn({ reason: trouble }, 'cannot submit, waiting');
    this.#logged = trouble;
  }
}
