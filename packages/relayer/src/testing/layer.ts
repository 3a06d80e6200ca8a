/** A layer in memory with one account: sequences, last heights, a mempool that forgets, and other failures. */
import { type BlobsOutcome, DaTooExpensive, DaUnavailable, type DaWriter, type PreparedBlobs } from '@switchyard/da';
import type { Namespace } from '@switchyard/protocol/celestia';

type Blobs = Parameters<DaWriter['prepare']>[0];

interface Transaction {
  readonly id: string;
  readonly sequence: number;
  readonly lastHeight: bigint;
  readonly price: number;
  readonly blobs: Blobs;
}

export interface Included {
  readonly id: string;
  readonly height: bigint;
  readonly blobs: Blobs;
}

/** How it behaves; random choices are made by the test. */
export interface Mood {
  /** Answered with "unavailable": before anything is done, or after. */
  fails(call: string): 'before' | 'after' | undefined;
  /** A block takes the mempool's contents. */
  includes(): boolean;
  /** The mempool forgets all. */
  forgets(): boolean;
  /** Another process with the key sends something of its own. */
  intrudes(): boolean;
}

export const CALM: Mood = {
  fails: () => undefined,
  includes: () => true,
  forgets: () => false,
  intrudes: () => false,
};

const TIMEOUT_BLOCKS = 12n;

export class MemoryLayer {
  readonly included: Included[] = [];
  mood: Mood = CALM;
  /** Price that a transaction has to pay, and that the writers offer at most. */
  price = 1;
  maxPrice = 10;
  funds = 1_000_000_000n;
  chain = 'layer';
  /** Given in the place of an inclusion, while it is set. */
  refusal: string | undefined;
  height = 1n;
  #sequence = 0;
  #mempool: Transaction[] = [];
  #made = new Map<string, Transaction>();
  #outcomes = new Map<string, bigint>();
  #refused = new Map<string, string>();
  #ids = 0;

  /** A writer for one run of a process: it remembers nothing of an earlier one, and numbers its transactions. */
  writer(): DaWriter {
    const own = new Map<string, Transaction>();
    const call = async <T>(name: string, work: () => T): Promise<T> => {
      await Promise.resolve();
      this.#pass();
      const fails = this.mood.fails(name);
      if (fails === 'before') throw new DaUnavailable('the node is away');
      const result = work();
      if (fails === 'after') throw new DaUnavailable('the answer is lost');
      return result;
    };
    return {
      chainId: () => call('chainId', () => this.chain),
      balance: () => call('balance', () => this.funds),
      prepare: async (blobs) => {
        const prepared = await call('prepare', () => this.#prepare(blobs, own));
        own.set(prepared.id, this.#madeOf(prepared.bytes));
        return prepared;
      },
      getBlobs: ({ bytes }) => this.#madeOf(bytes).blobs,
      submit: (prepared) => call('submit', () => this.#submit(prepared, own)),
      outcome: async (prepared) => {
        const outcome = await call('outcome', () => this.#outcome(prepared));
        if (outcome.kind !== 'pending') own.delete(prepared.id);
        return outcome;
      },
    };
  }

  /** All data of a namespace, blob after blob. */
  getBlobs(namespace: Namespace): readonly Uint8Array[] {
    return this.included
      .flatMap(({ blobs }) => blobs.filter((blob) => blob.namespace === namespace))
      .map(({ data }) => data);
  }

  #prepare(blobs: Blobs, own: ReadonlyMap<string, Transaction>): PreparedBlobs {
    if (this.price > this.maxPrice) throw new DaTooExpensive(String(this.price), String(this.maxPrice));
    const taken = new Set(Array.from(own.values(), ({ sequence: item }) => item));
    let sequence = this.#sequence;
    while (taken.has(sequence)) sequence += 1;
    const id = (++this.#ids).toString(16).padStart(64, '0');
    const lastHeight = this.height + TIMEOUT_BLOCKS;
    this.#made.set(id, { id, sequence, lastHeight, price: this.price, blobs });
    return { id, bytes: new TextEncoder().encode(id), lastHeight, fee: 7n };
  }

  /** Only the bytes count. Dropped in silence if its sequence does not follow those of the mempool. */
  #submit({ bytes }: PreparedBlobs, own: Map<string, Transaction>): void {
    const made = this.#madeOf(bytes);
    own.set(made.id, made);
    if (this.height > made.lastHeight || made.price < this.price) return;
    if (made.sequence === this.#sequence + this.#mempool.length) this.#mempool.push(made);
  }

  #outcome({ bytes }: PreparedBlobs): BlobsOutcome {
    const made = this.#madeOf(bytes);
    const height = this.#outcomes.get(made.id);
    if (height !== undefined) return { kind: 'included', height };
    if (made.sequence < this.#sequence) {
      return { kind: 'refused', reason: `another transaction has used sequence ${made.sequence}` };
    }
    if (this.height > made.lastHeight) return { kind: 'gone' };
    if (this.refusal !== undefined) this.#refused.set(made.id, this.refusal);
    const reason = this.#refused.get(made.id);
    if (reason !== undefined) return { kind: 'refused', reason };
    return { kind: 'pending' };
  }

  /** Time passes with each call. */
  #pass(): void {
    this.height += 1n;
    if (this.mood.intrudes()) this.#sequence += 1;
    if (this.mood.forgets()) this.#mempool = [];
    if (this.refusal !== undefined || !this.mood.includes()) return;
    for (const { id, sequence, lastHeight, blobs } of this.#mempool) {
      if (sequence !== this.#sequence || this.height > lastHeight || this.#refused.has(id)) break;
      this.#sequence += 1;
      this.funds -= 7n;
      this.#outcomes.set(id, this.height);
      this.included.push({ id, height: this.height, blobs });
    }
    this.#mempool = [];
  }

  #madeOf(bytes: Uint8Array): Transaction {
    const made = this.#made.get(new TextDecoder().decode(bytes));
    if (made === undefined) throw new Error('bytes that were never prepared');
    return made;
  }
}
