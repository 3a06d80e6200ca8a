import type { Transaction } from '../transaction.ts';
import type { Address } from '../types.ts';
import type { Senders } from './senders.ts';

type Question = Pick<Transaction, 'hash' | 'signature'>;

type Asked = Pick<Senders, 'ofAll'>;

interface Waiting {
  readonly tx: Question;
  resolve(sender: Address | undefined): void;
  reject(error: unknown): void;
}

/** Of a crowd, the first are answered, and go on their way, while threads still look for the others. */
const AT_ONCE = 256;

/**
 * Looks for the senders of what arrives in one turn together, so that threads do the work where it is much.
 * Answers come in the order of the questions: the order in which an account sends is its own to keep.
 */
export class SendersInTurn {
  readonly #senders: Asked;
  #waiting: Waiting[] = [];
  /** Resolves when all that was asked has its answer. */
  #answered: Promise<void> = Promise.resolve();

  constructor(senders: Asked) {
    this.#senders = senders;
  }

  /** Undefined where the signature names nobody. */
  of(tx: Question): Promise<Address | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ tx, resolve, reject });
      if (this.#waiting.length === AT_ONCE) this.#ask();
      else if (this.#waiting.length === 1) setImmediate(() => this.#ask());
    });
  }

  #ask(): void {
    const together = this.#waiting;
    if (together.length === 0) return;
    this.#waiting = [];
    const found = this.#senders.ofAll(together.map(({ tx }) => tx)).then(
      (senders) => () => {
        for (const [index, { resolve }] of together.entries()) resolve(senders[index]);
      },
      (error: unknown) => () => {
        for (const { reject } of together) reject(error);
      },
    );
    this.#answered = this.#answered.then(async () => (await found)());
  }
}
