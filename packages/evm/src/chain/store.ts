import type { Watch } from '@switchyard/evm-machine/interface';
import { LruCache } from '@switchyard/evm-machine/lru-cache';
import type { AccountProof, StateReader } from '@switchyard/evm-machine/state';
import type { Address, Hash, Header } from '@switchyard/evm-machine/types';
import { type AccountId, type BlockMetadata, parseFirmMeaning } from '@switchyard/protocol';
import {
  asBytes,
  asList,
  asUint,
  bytesToBigInt,
  decodeRlp,
  encodeRlp,
  hexToBytes,
} from '@switchyard/protocol/ethereum';
import { KEEP_ALL, type Retention } from '@switchyard/service';
import { EMPTY_UNCLES } from '../blocks/header.ts';
import { EMPTY_ROOT } from '../blocks/ordered-root.ts';
import type { Database, DbWriter, Table } from '../database/database.ts';
import { type DepositSums, NO_DEPOSITS } from '../rules/rules.ts';
import {
  type BlockRef,
  type ChainReader,
  type Committed,
  type CommittedBlock,
  type ExecutedBlock,
  type FoundLog,
  type Heads,
  HistoryGone,
  type LogQuery,
  type Moved,
  PrunedHistory,
  type RefusedEntry,
  type StoredBlock,
  type StoredReceipt,
} from './chain.ts';
import { type CommitmentRow, decodeCommitments, encodeCommitments } from './commitments.ts';
import { HeaderRows } from './header-rows.ts';
import { LogIndex } from './log-index.ts';
import { findLogs } from './logs.ts';
import { ChainPruning } from './pruning.ts';
import {
  type BlockOrigin,
  type BodyRow,
  decodeBody,
  decodePlace,
  decodeReceipts,
  decodeRefused,
  encodeBody,
  encodePlace,
  encodeReceipts,
  encodeRefused,
  type HeaderRow,
  hashKey,
  numberFromKey,
  numberKey,
} from './rows.ts';

/** Rows that another component keeps about blocks, written in the same transaction. */
export interface BlockIndexer {
  write(writer: DbWriter, executed: ExecutedBlock): void;
  /** Removes the rows of a block that is deleted. */
  remove(writer: DbWriter, block: Pick<ExecutedBlock, 'block' | 'receipts'>): void;
}

/** A block with all that is kept of it. */
export interface NewBlock extends ExecutedBlock {
  readonly origin: BlockOrigin;
  /** Wei below a gwei that recipients of deposits are owed; only changes. */
  readonly remainders: ReadonlyMap<Address, bigint>;
  /** Deposits of the block; in block 0, with nothing, each bridge account whose deposits are counted. */
  readonly deposits?: ReadonlyMap<AccountId, DepositSums>;
  /** Requests to a beacon chain (EIP-7685), each with its type before it. */
  readonly requests?: readonly Uint8Array[];
  /** In RLP (EIP-7928), from Amsterdam on. */
  readonly accessList?: Uint8Array;
  readonly nextWithdrawalIndex: bigint;
}

export interface ChainOptions {
  readonly chainId: bigint;
  /** Commitment that the tag `safe` means. */
  readonly safe: 'soft' | 'firm';
  readonly indexers: readonly BlockIndexer[];
  /** Retention limits; everything is kept, if absent. */
  readonly retention?: Retention;
  /** Bytes of decoded blocks that stay in memory, and of receipts. */
  readonly recentBytes?: number;
}

export interface States {
  at(block: bigint): StateReader;
  proof: ChainReader['proof'];
}

/** Approximate memory of the decoded blocks that are kept; the receipts take as much again. */
const RECENT_BYTES = 12 * 1_048_576;

/** The committed chain on disk: blocks, receipts, refusals, positions of transactions and logs, and the commitments. */
export class ChainStore implements ChainReader {
  readonly chainId: bigint;
  readonly #options: ChainOptions;
  readonly #state: States;
  readonly #tables: ReturnType<typeof openTables>;
  readonly #logs: LogIndex;
  readonly #listeners = new Set<(committed: Committed) => void>();
  readonly #blocks: LruCache<bigint, StoredBlock>;
  readonly #receipts: LruCache<bigint, readonly StoredReceipt[]>;
  readonly #headers = new LruCache<bigint, HeaderRow>(2_000);
  readonly #headerRows: HeaderRows;
  readonly #pruning: ChainPruning;
  #commitments: CommitmentRow | undefined;

  constructor(database: Database, state: States, options: ChainOptions) {
    this.chainId = options.chainId;
    this.#options = options;
    this.#state = state;
    const { recentBytes = RECENT_BYTES } = options;
    this.#blocks = new LruCache(recentBytes, weightOfBlock);
    this.#receipts = new LruCache(recentBytes, weightOfReceipts);
    this.#tables = openTables(database);
    this.#headerRows = new HeaderRows(this.#tables.headers);
    this.#pruning = new ChainPruning(database, options.retention ?? KEEP_ALL);
    this.#logs = new LogIndex(database);
    this.#readCommitments();
  }

  /** Reads everything from the database once more, which was taken back to an earlier moment. */
  reload(): void {
    this.#readCommitments();
    for (const recent of [this.#blocks, this.#receipts, this.#headers]) recent.clear();
  }

  #readCommitments(): void {
    const row = this.#tables.chain.get(COMMITMENTS);
    const meaning = this.#tables.chain.get(FIRM_MEANING);
    const firmMeaning = parseFirmMeaning(meaning && Buffer.from(meaning).toString());
    this.#commitments = row && { ...decodeCommitments(row), firmMeaning };
  }

  /** @throws {Error} before the first block is written. */
  get commitments(): CommitmentRow {
    if (this.#commitments === undefined) throw new Error('the chain has no first block yet');
    return this.#commitments;
  }

  get heads(): Heads {
    const { soft, firm } = this.commitments;
    return { latest: soft, safe: this.#options.safe === 'soft' ? soft : firm, finalized: firm };
  }

  findHash(number: bigint): Hash | undefined {
    return this.#headerRow(number)?.hash;
  }

  header(ref: BlockRef) {
    return this.#headerRow(this.#numberOf(ref));
  }

  /** The first block after block 0 that is kept. */
  get lowest(): bigint {
    return this.#pruning.lowest;
  }

  /** Block as a conductor sees it. */
  metadata(ref: BlockRef): BlockMetadata | undefined {
    const number = this.#numberOf(ref);
    const row = number !== undefined && this.#isPruned(number) ? undefined : this.#headerRow(number);
    return row && number !== undefined ? toMetadata(number, row) : undefined;
  }

  block(ref: BlockRef): StoredBlock | undefined {
    const number = this.#numberOf(ref);
    const row = this.#headerRow(number);
    if (number === undefined || row === undefined) return undefined;
    const known = this.#blocks.get(number);
    if (known !== undefined) return known;
    const body = hasEmptyBody(row.header) ? EMPTY_BODY : decodeBody(this.#row(this.#tables.bodies, number));
    const block = { hash: row.hash, header: row.header, size: row.size, ...body };
    this.#blocks.put(number, block);
    return block;
  }

  receipts(ref: BlockRef): readonly StoredReceipt[] | undefined {
    const number = this.#numberOf(ref);
    const header = this.#headerRow(number);
    if (number === undefined || header === undefined) return undefined;
    const known = this.#receipts.get(number);
    if (known !== undefined) return known;
    const receipts = header.transactions === 0 ? [] : decodeReceipts(this.#row(this.#tables.receipts, number));
    this.#receipts.put(number, receipts);
    return receipts;
  }

  transaction(hash: Hash) {
    const place = this.#tables.transactions.get(hashKey(hash));
    return place && decodePlace(place);
  }

  refusal(hash: Hash) {
    if (this.transaction(hash) !== undefined) return undefined;
    const row = this.#tables.refusals.get(hashKey(hash));
    if (row === undefined) return undefined;
    const { block, index } = decodePlace(row);
    const refused = this.refusedIn(block)[index];
    return refused && { block, refused };
  }

  /** Requests of a block to a beacon chain: the header has no more than their hash. */
  requestsIn(block: bigint): readonly Uint8Array[] {
    const row = this.#tables.requests.get(numberKey(block));
    return row === undefined ? [] : asList(decodeRlp(row)).map((each) => asBytes(each));
  }

  /** Access list of a block in RLP (EIP-7928): the header has no more than its hash. */
  accessListIn(block: bigint): Uint8Array | undefined {
    return this.#tables.accessLists.get(numberKey(block));
  }

  refusedIn(block: bigint): readonly RefusedEntry[] {
    const row = this.#tables.refused.get(numberKey(block));
    return row === undefined ? [] : decodeRefused(row);
  }

  state(block: bigint): StateReader {
    // The state before the lowest block is there, so that it can be executed again.
    if (this.lowest > 1n && block + 1n < this.lowest) {
      throw new HistoryGone(`historical state of block ${block} is not available, the lowest block is ${this.lowest}`);
    }
    return this.#state.at(block);
  }

  proof(block: bigint, address: Address, slots: readonly Hash[]): AccountProof | Promise<AccountProof> {
    return this.#state.proof(block, address, slots);
  }

  logs(query: LogQuery, limit: number, watch?: Watch): { readonly logs: readonly FoundLog[]; readonly more: boolean } {
    const { latest } = this.heads;
    // Fewer logs than there were would look like an answer.
    if (this.lowest > 1n && query.from < this.lowest && query.from <= query.to) throw this.#pruned(query.from);
    const bounded = query.to > latest ? { ...query, to: latest } : query;
    return findLogs(this, this.#logs.candidates(bounded, watch), bounded, limit);
  }

  onCommit(listener: (committed: Committed) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Wei that the recipient of deposits is owed. */
  getRemainder(recipient: Address): bigint {
    const row = this.#tables.remainders.get(hexToBytes(recipient));
    return row === undefined ? 0n : bytesToBigInt(row);
  }

  /** Deposits of a bridge account of the genesis so far. */
  toDeposits(bridge: AccountId): DepositSums {
    const row = this.#tables.deposits.get(Buffer.from(bridge, 'hex'));
    if (row === undefined) throw new Error(`the database has no sums of deposits of the bridge account ${bridge}`);
    const [deposited, refused] = asList(decodeRlp(row), 2);
    return { deposited: asUint(deposited, 32), refused: asUint(refused, 32) };
  }

  get nextWithdrawalIndex(): bigint {
    const row = this.#tables.chain.get(WITHDRAWALS);
    return row === undefined ? 0n : numberFromKey(row);
  }

  /** Record that the database was begun with; undefined while it is empty. */
  get origin(): Uint8Array | undefined {
    return this.#tables.chain.get(ORIGIN);
  }

  writeOrigin(writer: DbWriter, origin: Uint8Array): void {
    writer.put(this.#tables.chain, ORIGIN, origin);
  }

  /** When rules change, as `applyGenesis` keeps it. */
  get forks(): Uint8Array {
    const row = this.#tables.chain.get(FORKS);
    if (row === undefined) throw new Error('the database does not state when forks begin');
    return row;
  }

  writeForks(writer: DbWriter, forks: Uint8Array): void {
    writer.put(this.#tables.chain, FORKS, forks);
  }

  /** Writes blocks and pointers. Queries see them when the transaction is on disk; `publish` notifies the listeners then. */
  write(writer: DbWriter, blocks: readonly NewBlock[], commitments: CommitmentRow): void {
    for (const block of blocks) this.#writeBlock(writer, block);
    this.#pruning.prune(writer, {
      ...commitments,
      moved: blocks.length,
      transactions: blocks.reduce((sum, { block }) => sum + block.transactions.length, 0),
      getTime: (number) => {
        const row = this.#headerRows.get(number);
        return row && Number(row.header.timestamp) * 1_000;
      },
      remove: (number) => this.#removeBlock(writer, number),
      removeHeaders: (first, next) => this.#headerRows.removeRange(writer, first, next),
    });
    writer.put(this.#tables.chain, COMMITMENTS, encodeCommitments(commitments));
    const kept = this.#commitments?.firmMeaning;
    const { firmMeaning = kept } = commitments;
    if (firmMeaning !== undefined && firmMeaning !== kept)
      writer.put(this.#tables.chain, FIRM_MEANING, Buffer.from(firmMeaning));
    writer.afterCommit(() => {
      this.#commitments = { ...commitments, firmMeaning };
      for (const { block, receipts } of blocks) {
        this.#blocks.put(block.header.number, block);
        this.#receipts.put(block.header.number, receipts);
      }
    });
  }

  publish(blocks: Committed['blocks']): void {
    for (const listener of this.#listeners) listener({ blocks, heads: this.heads });
  }

  /** Takes over if another thread has moved the chain, and notifies the listeners. Blocks are read when they are looked at. */
  follow({ commitments, lowest, first }: Moved): void {
    this.#commitments = commitments;
    this.#pruning.lowest = lowest;
    const blocks: CommittedBlock[] = [];
    // A commit of more blocks than are kept has deleted the first of them.
    const from = first < lowest ? lowest : first;
    for (let number = from; number <= commitments.soft; number += 1n) blocks.push(this.#committed(number));
    this.publish(blocks);
  }

  #committed(number: bigint): CommittedBlock {
    const there = <T>(found: T | undefined): T => {
      if (found === undefined) throw missing('headers', number);
      return found;
    };
    const chain = this;
    return {
      get block() {
        return there(chain.block(number));
      },
      get receipts() {
        return there(chain.receipts(number));
      },
      get refused() {
        return chain.refusedIn(number);
      },
    };
  }

  #writeBlock(writer: DbWriter, executed: NewBlock): void {
    const { block, receipts, refused, origin, remainders, deposits = [], accessList, requests = [] } = executed;
    const { number } = block.header;
    const key = numberKey(number);
    const tables = this.#tables;
    this.#headerRows.put(writer, number, { ...block, transactions: block.transactions.length, origin });
    writer.put(tables.numbers, hashKey(block.hash), key);
    // An empty body needs no row: the header shows that it is empty.
    if (!hasEmptyBody(block.header)) writer.put(tables.bodies, key, encodeBody(block));
    if (requests.length > 0) writer.put(tables.requests, key, encodeRlp(requests));
    if (accessList !== undefined) writer.put(tables.accessLists, key, accessList);
    if (receipts.length > 0) writer.put(tables.receipts, key, encodeReceipts(receipts));
    const place = encodePlace(number, 0);
    const index = new DataView(place.buffer, 8);
    for (const [position, { hash }] of block.transactions.entries()) {
      index.setUint32(0, position);
      writer.put(tables.transactions, hashKey(hash), place);
    }
    if (refused.length > 0) writer.put(tables.refused, key, encodeRefused(refused));
    refused.forEach(({ hash }, index) => {
      writer.put(tables.refusals, hashKey(hash), encodePlace(number, index));
    });
    for (const [recipient, wei] of remainders) writeRemainder(writer, tables.remainders, recipient, wei);
    for (const [bridge, sums] of deposits) {
      const before = number === 0n ? NO_DEPOSITS : this.toDeposits(bridge);
      const row = encodeRlp([before.deposited + sums.deposited, before.refused + sums.refused]);
      writer.put(tables.deposits, Buffer.from(bridge, 'hex'), row);
    }
    if (block.withdrawals.length > 0) writer.put(tables.chain, WITHDRAWALS, numberKey(executed.nextWithdrawalIndex));
    this.#logs.write(writer, number, receipts);
    for (const indexer of this.#options.indexers) indexer.write(writer, executed);
  }

  /** All but the header, which blocks above may need. */
  #removeBlock(writer: DbWriter, number: bigint): void {
    const [block, receipts] = [this.block(number), this.receipts(number)];
    if (block === undefined || receipts === undefined) throw missing('headers', number);
    const key = numberKey(number);
    const tables = this.#tables;
    const removePlace = (table: Table, hash: Hash): void => {
      const row = table.get(hashKey(hash));
      if (row !== undefined && decodePlace(row).block === number) writer.remove(table, hashKey(hash));
    };
    for (const { hash } of this.refusedIn(number)) removePlace(tables.refusals, hash);
    for (const { hash } of block.transactions) removePlace(tables.transactions, hash);
    const byNumber = [
      tables.bodies,
      tables.receipts,
      tables.refused,
      tables.requests,
      tables.inputDigests,
      tables.accessLists,
    ];
    for (const table of byNumber) writer.remove(table, key);
    writer.remove(tables.numbers, hashKey(block.hash));
    this.#logs.remove(writer, number, receipts);
    for (const indexer of this.#options.indexers) indexer.remove(writer, { block, receipts });
    writer.afterCommit(() => {
      for (const recent of [this.#blocks, this.#receipts, this.#headers]) recent.delete(number);
    });
  }

  #isPruned(number: bigint): boolean {
    return number > 0n && number < this.lowest;
  }

  #pruned(number: bigint): PrunedHistory {
    return new PrunedHistory(
      `pruned history unavailable: block ${number}, the lowest block is ${this.lowest}; SVC_EVM_RETAIN_BLOCKS=all keeps all that come`,
    );
  }

  #numberOf(ref: BlockRef): bigint | undefined {
    if (typeof ref === 'bigint') return ref;
    const row = this.#tables.numbers.get(hashKey(ref));
    return row && numberFromKey(row);
  }

  #headerRow(number: bigint | undefined): HeaderRow | undefined {
    if (number === undefined || number < 0n || this.#commitments === undefined) return undefined;
    if (number > this.#commitments.soft) return undefined;
    if (this.#isPruned(number)) throw this.#pruned(number);
    const known = this.#headers.get(number);
    if (known !== undefined) return known;
    const row = this.#headerRows.get(number);
    if (row === undefined) throw missing('headers', number);
    this.#headers.put(number, row);
    return row;
  }

  #row(table: Table, number: bigint): Uint8Array {
    const row = table.get(numberKey(number));
    if (row === undefined) throw missing(table.name, number);
    return row;
  }
}

function missing(table: string, number: bigint): Error {
  return new Error(`the database has no row ${table} of block ${number}`);
}

/** Neither transactions nor withdrawals nor uncles. */
function hasEmptyBody({ transactionsRoot, withdrawalsRoot = EMPTY_ROOT, uncleHash }: Header): boolean {
  return transactionsRoot === EMPTY_ROOT && withdrawalsRoot === EMPTY_ROOT && uncleHash === EMPTY_UNCLES;
}

const EMPTY_BODY: BodyRow = { transactions: [], withdrawals: [] };
const COMMITMENTS = Buffer.from('commitments');
const FIRM_MEANING = Buffer.from('firm-meaning');
const WITHDRAWALS = Buffer.from('withdrawals');
const ORIGIN = Buffer.from('origin');
const FORKS = Buffer.from('forks');

function openTables(database: Database) {
  return {
    /** Commitments, index of the next withdrawal, and the origin of the database. */
    chain: database.table('chain'),
    /** Rows by block number. */
    headers: database.table('headers'),
    bodies: database.table('bodies'),
    receipts: database.table('receipts'),
    refused: database.table('refused'),
    requests: database.table('requests'),
    accessLists: database.table('accessLists'),
    /** Digests of the inputs of blocks: the executor's. */
    inputDigests: database.table('inputDigests'),
    /** Numbers by block hash. */
    numbers: database.table('numbers'),
    /** Places by transaction hash: in blocks, and among the refused. */
    transactions: database.table('transactions'),
    refusals: database.table('refusals'),
    /** Wei by recipient. */
    remainders: database.table('remainders'),
    /** Sums by bridge account. */
    deposits: database.table('deposits'),
  };
}

function toMetadata(number: bigint, { hash, header, origin }: HeaderRow): BlockMetadata {
  return { number, hash, parentHash: header.parentHash, ...origin };
}

/** A decoded transaction is some fifteen objects besides its bytes. */
function weightOfBlock({ size, transactions }: StoredBlock): number {
  return 2_000 + size + transactions.length * 1_200;
}

function weightOfReceipts(receipts: readonly StoredReceipt[]): number {
  let weight = 100;
  for (const { logs } of receipts) {
    weight += 400;
    for (const { data } of logs) weight += 600 + data.length;
  }
  return weight;
}

function writeRemainder(writer: DbWriter, table: Table, recipient: Address, wei: bigint): void {
  if (wei === 0n) writer.remove(table, hexToBytes(recipient));
  else writer.put(table, hexToBytes(recipient), numberKey(wei));
}
