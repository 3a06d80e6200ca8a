/** The chain of the local layer: a pool of checked transactions, the loop that produces blocks from them, and those blocks. */
import { Rejected, type SignedHeader, type Signer, type TxHash, timestampFromMillis } from '@switchyard/protocol';
import {
  type CelestiaAccount,
  type ExtendedHeader,
  getShareVersion,
  type Square,
  shareCount,
} from '@switchyard/protocol/celestia';
import { type Logger, Notifier, sleep, systemClock, type WallClock } from '@switchyard/service';
import type { GasPrice } from '../celestia/gas-price.ts';
import type { DaProcessConfig } from '../config.ts';
import { type Accounts, accountsRoot, type LocalAccount, spend } from './accounts.ts';
import type { StoredBlock } from './block-row.ts';
import type { BlockStore } from './block-store.ts';
import { type CheckedTx, checkTx, type TxRefusal } from './check.ts';
import { getValidators, MAX_SQUARE_SIZE, makeHeader, squareOfTxs } from './make-block.ts';

export type LocalChainOptions = Pick<
  DaProcessConfig,
  'chainId' | 'blockIntervalMs' | 'emptyBlockIntervalMs' | 'retainBlocks' | 'minimumGasPrice'
>;

export interface LocalChainDeps {
  readonly store: BlockStore;
  readonly validator: Signer;
  readonly genesis: Accounts;
  readonly wall: WallClock;
  readonly log: Logger;
}

export type LocalStatus =
  | { readonly status: 'COMMITTED'; readonly height: bigint }
  | { readonly status: 'PENDING' | 'UNKNOWN' }
  | { readonly status: 'REJECTED'; readonly refusal: TxRefusal };

const MAX_SHARES = MAX_SQUARE_SIZE * MAX_SQUARE_SIZE;
/** Bound of the transactions that wait for a block: two full blocks. */
const MAX_POOL_BYTES = 2 * MAX_SHARES * 512;
const MAX_POOL_TXS = 5_000;
/** Refused ones whose reason can be queried. */
const MAX_REFUSED = 1_000;
/** Squares that are kept for readers; another one is made again from its transactions. */
const KEPT_SQUARES = 4;

export class LocalChain {
  readonly #options: LocalChainOptions;
  readonly #deps: LocalChainDeps;
  readonly #made = new Notifier();
  readonly #refused = new Map<TxHash, TxRefusal>();
  readonly #squares = new Map<bigint, Promise<Square>>();
  /** In the order in which they came. Those of a block stay until it is on disk. */
  #pool: CheckedTx[] = [];
  #poolBytes = 0;
  #accounts: Accounts;
  #last: SignedHeader | undefined;

  constructor(options: LocalChainOptions, deps: LocalChainDeps) {
    this.#options = options;
    this.#deps = deps;
    const { store } = deps;
    this.#accounts = store.accounts() ?? deps.genesis;
    this.#last = store.head === undefined ? undefined : store.block(store.head);
  }

  get chainId(): string {
    return this.#options.chainId;
  }

  get minimumGasPrice(): GasPrice {
    return this.#options.minimumGasPrice;
  }

  /** 0 before the first block. */
  get head(): bigint {
    return this.#last?.header.height ?? 0n;
  }

  get pending(): number {
    return this.#pool.length;
  }

  /** Accounts after the last block. */
  get accounts(): Accounts {
    return this.#accounts;
  }

  /** Produces blocks until the signal aborts. @throws {StoreNotWritten} */
  async run(signal: AbortSignal): Promise<void> {
    const { blockIntervalMs, emptyBlockIntervalMs } = this.#options;
    while (!signal.aborted) {
      await this.produce();
      const idleUntil = systemClock.now() + emptyBlockIntervalMs;
      do await sleep(blockIntervalMs, signal).catch(() => undefined);
      while (!signal.aborted && this.#pool.length === 0 && systemClock.now() + blockIntervalMs / 2 < idleUntil);
    }
  }

  /** Produces one block, with or without transactions. */
  async produce(): Promise<void> {
    const { store, validator, wall, log } = this.#deps;
    const taken = this.#nextTxs();
    const txs = taken.map(({ bytes }) => bytes);
    const square = await squareOfTxs(txs);
    const signed = makeHeader(
      {
        chainId: this.chainId,
        validator,
        last: this.#last,
        now: timestampFromMillis(wall.unixMs()),
        txs,
        appHash: accountsRoot(this.#accounts),
      },
      square,
    );
    const accounts = afterTxs(this.#accounts, taken);
    await store.append(
      { ...signed, txs },
      taken.map(({ id }) => id),
      accounts,
    );
    this.#accounts = accounts;
    this.#last = signed;
    this.#keepSquare(signed.header.height, Promise.resolve(square));
    this.#recheck(new Set(taken));
    const { retainBlocks } = this.#options;
    if (retainBlocks !== 'all') store.prune(this.head - BigInt(retainBlocks) + 1n);
    if (taken.length > 0) log.debug({ height: signed.header.height, txs: taken.length }, 'block with blobs');
    this.#made.notify();
  }

  /** Resolves when the block is there. Rejects with the reason of the signal. */
  async waitFor(height: bigint, signal: AbortSignal): Promise<void> {
    while (this.head < height) await this.#made.wait(signal);
  }

  /**
   * Takes a transaction, or gives the reason why not.
   *
   * @throws {BlobRefusal} @throws {Rejected} `already-present` for a transaction that waits for a block.
   */
  add(bytes: Uint8Array): { readonly id: TxHash } | TxRefusal {
    const { chainId, minimumGasPrice } = this.#options;
    const context = {
      chainId,
      minimumGasPrice,
      height: this.head + 1n,
      account: (id: CelestiaAccount) => this.#withPool(id),
    };
    const waiting = this.#pool.find((tx) => tx.bytes.length === bytes.length && Buffer.compare(tx.bytes, bytes) === 0);
    if (waiting !== undefined) throw new Rejected('already-present', { transaction: waiting.id });
    const checked = checkTx(bytes, context);
    if ('code' in checked) return checked;
    if (this.#pool.length >= MAX_POOL_TXS || this.#poolBytes + bytes.length > MAX_POOL_BYTES) {
      return { code: 20, text: 'mempool is full' };
    }
    this.#pool.push(checked);
    this.#poolBytes += bytes.length;
    this.#refused.delete(checked.id);
    return { id: checked.id };
  }

  /** Notes why a transaction was not taken, for queries of its status. */
  refuse(id: TxHash, refusal: TxRefusal): void {
    this.#refused.delete(id);
    this.#refused.set(id, refusal);
    const [oldest] = this.#refused.keys();
    if (this.#refused.size > MAX_REFUSED && oldest !== undefined) this.#refused.delete(oldest);
  }

  getStatus(id: TxHash): LocalStatus {
    const height = this.#deps.store.findHeight(id);
    if (height !== undefined && height <= this.head) return { status: 'COMMITTED', height };
    if (this.#pool.some((tx) => tx.id === id)) return { status: 'PENDING' };
    const refusal = this.#refused.get(id);
    return refusal === undefined ? { status: 'UNKNOWN' } : { status: 'REJECTED', refusal };
  }

  /** From here on, no block is missing. */
  get tail(): bigint {
    return this.#deps.store.tail;
  }

  block(height: bigint): StoredBlock | undefined {
    return height >= 1n && height <= this.head ? this.#deps.store.block(height) : undefined;
  }

  square(block: StoredBlock): Promise<Square> {
    const { height } = block.header;
    const kept = this.#squares.get(height);
    if (kept !== undefined) return kept;
    const square = squareOfTxs(block.txs);
    this.#keepSquare(height, square);
    return square;
  }

  async header(height: bigint): Promise<ExtendedHeader | undefined> {
    const block = this.block(height);
    if (block === undefined) return undefined;
    const { header, commit } = block;
    return { header, commit, validators: getValidators(this.#deps.validator), dah: (await this.square(block)).dah };
  }

  #keepSquare(height: bigint, square: Promise<Square>): void {
    this.#squares.delete(height);
    this.#squares.set(height, square);
    const [oldest] = this.#squares.keys();
    if (this.#squares.size > KEPT_SQUARES && oldest !== undefined) this.#squares.delete(oldest);
  }

  /** Transactions of the pool that fit into one square, from the front: the rest may have the next sequences. */
  #nextTxs(): CheckedTx[] {
    let shares = 0;
    const end = this.#pool.findIndex(({ blobs }) => {
      for (const blob of blobs) shares += shareCount(blob.data.length, getShareVersion(blob));
      return shares > MAX_SHARES;
    });
    return this.#pool.slice(0, end < 0 ? undefined : end);
  }

  #withPool(id: CelestiaAccount): LocalAccount | undefined {
    let account = this.#accounts.get(id);
    for (const { payment } of this.#pool) {
      if (account !== undefined && payment.message.payer === id) account = spend(account, payment.fee);
    }
    return account;
  }

  /** After a block: its transactions leave the pool, and so do all that can be in no later one. */
  #recheck(taken: ReadonlySet<CheckedTx>): void {
    const waiting = this.#pool.filter((tx) => !taken.has(tx));
    this.#pool = [];
    this.#poolBytes = 0;
    for (const tx of waiting) {
      const { sequence, timeoutHeight, message } = tx.payment;
      const expected = this.#withPool(message.payer)?.sequence;
      if (timeoutHeight !== 0n && timeoutHeight <= this.head) {
        this.refuse(tx.id, { code: 30, text: `timeout height: ${timeoutHeight}: tx timeout height` });
      } else if (sequence !== expected) {
        const text = `account sequence mismatch, expected ${expected}, got ${sequence}: incorrect account sequence`;
        this.refuse(tx.id, { code: 32, text });
      } else {
        this.#pool.push(tx);
        this.#poolBytes += tx.bytes.length;
      }
    }
  }
}

function afterTxs(accounts: Accounts, txs: readonly CheckedTx[]): Accounts {
  const after = new Map(accounts);
  for (const { payment } of txs) {
    const { payer } = payment.message;
    const account = after.get(payer);
    if (account === undefined) throw new Error(`the account ${payer} is not there any more`);
    after.set(payer, spend(account, payment.fee));
  }
  return after;
}
