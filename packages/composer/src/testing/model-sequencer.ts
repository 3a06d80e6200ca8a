import type { Settled, Spender } from '@switchyard/client';
import {
  decodeTransaction,
  type SequencerTransaction,
  type SignedHeader,
  type TxHash,
  toHex,
} from '@switchyard/protocol';
import type { Checked } from '../sequencer/sequencer.ts';
import { SignedHeaders } from './signed-headers.ts';

/** Meaning of a data's first byte: refused when a transaction arrives, or failing when a block is built. */
export const REFUSED_ON_ARRIVAL = 0xee;
export const FAILS_IN_A_BLOCK = 0xed;

export const HEADERS = new SignedHeaders('sim');
const PARKED_PER_ACCOUNT = 15;
const EXPIRES_AFTER_MS = 240_000;

interface Held {
  readonly nonce: number;
  readonly hash: TxHash;
  /** Undefined for the other user of the account. */
  readonly tx: SequencerTransaction | undefined;
  readonly since: number;
}

/** Data in a block. */
export interface Ordered {
  readonly rollup: string;
  readonly data: string;
  readonly hash: TxHash;
  readonly height: bigint;
}

/** State that the nodes of a chain agree on. */
export class ModelChain {
  readonly blocks: { readonly nonce: number; readonly hash: TxHash; readonly tx: SequencerTransaction | undefined }[] =
    [];
  readonly ordered: Ordered[] = [];
  isFunded = true;
  others = 0;
}

/** An honest sequencer with one account, in a few lines: it knows the wire's codes, forgets its mempool and runs dry. */
export class ModelSequencer {
  readonly #chain: ModelChain;
  isAway = false;
  /** Keeps answering, and gets no blocks. */
  isLate = false;
  /** Most transactions that wait for nothing but a block. */
  capacity = 20;
  /** Fails with an internal error now and then. */
  isMoody = false;
  /** Claims a height far ahead of its own in every answer. */
  isLying = false;
  /** When it began to refuse {@link REFUSED_ON_ARRIVAL}; it had taken them before. */
  isStrict = true;
  #nonce = 0;
  #height = 1n;
  readonly #now: () => number;
  #mempool: Held[] = [];
  #removed = new Map<TxHash, number>();
  readonly #spenders = new Map<number, { readonly transaction: TxHash; readonly height: bigint }>();
  readonly #decoded = new Map<string, SequencerTransaction>();

  constructor(now: () => number, chain = new ModelChain()) {
    this.#now = now;
    this.#chain = chain;
  }

  get ordered(): readonly Ordered[] {
    return this.#chain.ordered;
  }

  get isFunded(): boolean {
    return this.#chain.isFunded;
  }

  set isFunded(isFunded: boolean) {
    this.#chain.isFunded = isFunded;
  }

  get height(): bigint {
    return this.isLying ? this.#height + 9_000_000n : this.#height;
  }

  commit(height: bigint): SignedHeader {
    if (height > this.#height) throw new Error(`height ${height} must be less than or equal to ${this.#height}`);
    return HEADERS.at(height);
  }

  broadcast(bytes: Uint8Array): Checked {
    const tx = this.#decode(bytes);
    const { hash, nonce } = tx;
    const answer = (code: number): Checked => ({ code, log: `code ${code}` });
    if (this.#mempool.some((held) => held.hash === hash)) return answer(0);
    const removed = this.#removed.get(hash);
    if (removed !== undefined) {
      this.#removed.delete(hash);
      return answer(removed);
    }
    if (this.isMoody) return answer(3);
    if (nonce < this.#nonce) return answer(this.#spenders.get(nonce)?.transaction === hash ? 18 : 4);
    if (this.isStrict && holds(tx, REFUSED_ON_ARRIVAL)) return answer(19);
    if (this.#mempool.some((held) => held.nonce === nonce)) return answer(15);
    const parked = this.#parked();
    if (this.#isNext(nonce) && this.#mempool.length - parked >= this.capacity) return answer(11);
    if (!this.#isNext(nonce) && parked >= PARKED_PER_ACCOUNT) return answer(16);
    this.#mempool.push({ nonce, hash, tx, since: this.#now() });
    return answer(0);
  }

  /** State of nonces as of the last block. */
  settled(nonces: readonly number[], isOurs: (nonce: number, hash: TxHash) => boolean): Settled {
    const spenders = new Map<number, Spender>();
    for (const nonce of nonces) {
      const spender = this.#spenders.get(nonce);
      if (spender === undefined) continue;
      spenders.set(nonce, isOurs(nonce, spender.transaction) ? spender : 'foreign');
    }
    return { accountNonce: this.isLying ? this.#nonce + 9_000_000 : this.#nonce, height: this.height, spenders };
  }

  makeBlock(most: number): void {
    this.follow();
    const expired = this.#mempool.find((held) => this.#now() - held.since > EXPIRES_AFTER_MS);
    if (expired !== undefined) this.#remove(expired, 9);
    for (let count = 0; this.isFunded && count < most; count += 1) {
      const next = this.#mempool.find((held) => held.nonce === this.#nonce);
      if (next === undefined) break;
      if (next.tx !== undefined && holds(next.tx, FAILS_IN_A_BLOCK)) {
        this.#remove(next, 10);
        break;
      }
      const { nonce, hash, tx } = next;
      this.#chain.blocks.push({ nonce, hash, tx });
      this.follow();
      for (const action of next.tx?.actions ?? []) {
        if (action.kind !== 'rollupDataSubmission') continue;
        const { rollup, data } = action;
        this.#chain.ordered.push({ rollup, data: toHex(data), hash: next.hash, height: this.#height });
      }
    }
  }

  /** Executes the blocks that it does not have yet. */
  follow(): void {
    for (const { nonce, hash } of this.#chain.blocks.slice(Number(this.#height) - 1)) {
      this.#height += 1n;
      this.#mempool = this.#mempool.filter((held) => held.hash !== hash);
      this.#spenders.set(nonce, { transaction: hash, height: this.#height });
      this.#nonce = nonce + 1;
    }
    for (const held of this.#mempool.filter(({ nonce }) => nonce < this.#nonce)) {
      this.#removed.set(held.hash, 4);
      this.#mempool = this.#mempool.filter((each) => each !== held);
    }
  }

  /** All that is in memory is gone. */
  restart(): void {
    this.#mempool = [];
    this.#removed.clear();
  }

  /** Throws a transaction out, and with it all later ones. */
  evict(random: () => number, remembered: boolean): void {
    const victim = this.#mempool[Math.floor(random() * this.#mempool.length)];
    if (victim !== undefined) this.#remove(victim, remembered ? 9 : undefined);
  }

  /** The other user of the account takes a nonce, `ahead` of the next one. */
  intrude(ahead: number): void {
    const nonce = this.#nonce + ahead;
    if (this.#mempool.some((held) => held.nonce === nonce)) return;
    this.#chain.others += 1;
    const hash = this.#chain.others.toString(16).padStart(64, 'f') as TxHash; // its transaction is never decoded
    this.#mempool.push({ nonce, hash, tx: undefined, since: this.#now() });
  }

  #remove(victim: Held, code: number | undefined): void {
    for (const held of this.#mempool.filter(({ nonce }) => nonce >= victim.nonce)) {
      if (code !== undefined) this.#removed.set(held.hash, held === victim ? code : 12);
    }
    this.#mempool = this.#mempool.filter(({ nonce }) => nonce < victim.nonce);
  }

  #isNext(nonce: number): boolean {
    let next = this.#nonce;
    while (this.#mempool.some((held) => held.nonce === next)) next += 1;
    return this.isFunded && nonce === next;
  }

  #parked(): number {
    let next = this.#nonce;
    while (this.isFunded && this.#mempool.some((held) => held.nonce === next)) next += 1;
    return this.#mempool.filter(({ nonce }) => nonce >= next).length;
  }

  #decode(bytes: Uint8Array): SequencerTransaction {
    const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    const tx = this.#decoded.get(key) ?? decodeTransaction(bytes, () => true);
    this.#decoded.set(key, tx);
    return tx;
  }
}

function holds(tx: SequencerTransaction, first: number): boolean {
  return tx.actions.some((action) => action.kind === 'rollupDataSubmission' && action.data[0] === first);
}
