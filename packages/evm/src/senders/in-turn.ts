import type { Address } from '@switchyard/evm-machine/types';
import { turn } from '@switchyard/service';
import type { Transaction } from '../transactions/transaction.ts';
import type { Senders } from './senders.ts';

type Question = Pick<Transaction, 'hash' | 'signature'>;

type Asked = Pick<Senders, 'ofAll'>;

interface Waiting {
  readonly tx: Question;
  resolve(sender: Address | undefined): void;
  reject(error: unknown): void;
}

/**
 * Recovers the senders of transactions that arrive at about the same time together, so that threads do the work if it is much.
 * Answers come in the order of the questions: the order in which an account sends is its own to keep.
 */
export class SendersInTurn {
  readonly #senders: Asked;
  #waiting: Waiting[] = [];
  #working = false;

  constructor(senders: Asked) {
    this.#senders = senders;
  }

  /** Undefined if no sender can be recovered. */
  of(tx: Question): Promise<Address | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ tx, resolve, reject });
      if (!this.#working) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#working = true;
    while (this.#waiting.length > 0) {
      // Transactions that came in the same read join this batch.
      await turn();
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        const found = await this.#senders.ofAll(batch.map(({ tx }) => tx));
        for (const [index, { resolve }] of batch.entries()) resolve(found[index]);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#working = false;
  }
}
