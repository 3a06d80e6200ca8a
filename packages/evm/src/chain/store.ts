import type { BlockMetadata } from '@switchyard/protocol';
import { EMPTY_UNCLES } from '../blocks/header.ts';
import { EMPTY_ROOT } from '../blocks/ordered-root.ts';
import type { Database, DbWriter, Table } from '../database.ts';
import { bytesOf, numberOf } from '../hex.ts';
import type { AccountProof, StateReader } from '../state/state.ts';
import type { StateStore } from '../state/store.ts';
import type { Address, Hash, Header } from '../types.ts';
import type {
  BlockRef,
  ChainReader,
  Committed,
  ExecutedBlock,
  FoundLog,
  Heads,
  LogQuery,
  RefusedEntry,
  StoredBlock,
  StoredReceipt,
} from './chain.ts';
import { type CommitmentRow, decodeCommitments, encodeCommitments } from './commitments.ts';
import { HeaderRows } from './header-rows.ts';
import { LogIndex } from './log-index.ts';
import { findLogs } from './logs.ts';
import { Recent } from './recent.ts';
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

/** Rows that somebody else keeps about blocks, written in the same transaction. */
export interface BlockIndexer {
  write(writer: DbWriter, executed: ExecutedBlock): void;
}

/** A block with all that is kept of it. */
export interface NewBlock extends ExecutedBlock {
  readonly origin: BlockOrigin;
  /** Wei below a gwei that recipients of deposits are owed; only what changed. */
  readonly remainders: ReadonlyMap<Address, bigint>;
  /** Of the next withdrawal. */
  readonly nextWithdrawalIndex: bigint;
}

export interface ChainOptions {
  readonly chainId: bigint;
  /** What the tag `safe` means. */
  readonly safe: 'soft' | 'firm';
  readonly indexers: readonly BlockIndexer[];
}

/** What the decoded blocks that are kept take in memory, about; the receipts as much again. */
const RECENT_BYTES = 24 * 1_048_576;

/** The committed chain on disk: blocks, receipts, refusals, where transactions and logs are, and the commitments. */
export class ChainStore implements ChainReader {
  readonly chainId: bigint;
  readonly #options: ChainOptions;
  readonly #state: Pick<StateStore, 'at' | 'proof'>;
  readonly #tables: ReturnType<typeof openTables>;
  readonly #logs: LogIndex;
  readonly #listeners = new Set<(committed: Committed) => void>();
  readonly #blocks = new Recent<bigint, StoredBlock>(RECENT_BYTES, weightOfBlock);
  readonly #receipts = new Recent<bigint, readonly StoredReceipt[]>(RECENT_BYTES, weightOfReceipts);
  readonly #headers = new Recent<bigint, HeaderRow>(2_000);
  readonly #headerRows: HeaderRows;
  #commitments: CommitmentRow | undefined;

  constructor(database: Database, state: Pick<StateStore, 'at' | 'proof'>, options: ChainOptions) {
    this.chainId = options.chainId;
    this.#options = options;
    this.#state = state;
    this.#tables = openTables(database);
    this.#headerRows = new HeaderRows(this.#tables.headers);
    this.#logs = new LogIndex(database);
    const row = this.#tables.chain.get(COMMITMENTS);
    this.#commitments = row && decodeCommitments(row);
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

  hashOf(number: bigint): Hash | undefined {
    return this.#headerRow(number)?.hash;
  }

  header(ref: BlockRef) {
    return this.#headerRow(this.#numberOf(ref));
  }

  /** As a conductor sees it. */
  metadata(ref: BlockRef): BlockMetadata | undefined {
    const number = this.#numberOf(ref);
    const row = this.#headerRow(number);
    return row && number !== undefined ? metadataOf(number, row) : undefined;
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

  refusedIn(block: bigint): readonly RefusedEntry[] {
    const row = this.#tables.refused.get(numberKey(block));
    return row === undefined ? [] : decodeRefused(row);
  }

  state(block: bigint): StateReader {
    return this.#state.at(block);
  }

  proof(block: bigint, address: Address, slots: readonly Hash[]): AccountProof {
    return this.#state.proof(block, address, slots);
  }

  logs(query: LogQuery, limit: number): { readonly logs: readonly FoundLog[]; readonly more: boolean } {
    const { latest } = this.heads;
    const bounded = query.to > latest ? { ...query, to: latest } : query;
    return findLogs(this, this.#logs.candidates(bounded), bounded, limit);
  }

  onCommit(listener: (committed: Committed) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Wei that the recipient of deposits is owed. */
  remainderOf(recipient: Address): bigint {
    const row = this.#tables.remainders.get(bytesOf(recipient));
    return row === undefined ? 0n : numberOf(row);
  }

  get nextWithdrawalIndex(): bigint {
    const row = this.#tables.chain.get(WITHDRAWALS);
    return row === undefined ? 0n : numberFromKey(row);
  }

  /** What the database was begun with; undefined while it is empty. */
  get origin(): Uint8Array | undefined {
    return this.#tables.chain.get(ORIGIN);
  }

  writeOrigin(writer: DbWriter, origin: Uint8Array): void {
    writer.put(this.#tables.chain, ORIGIN, origin);
  }

  /** Writes blocks and pointers. Queries see them when the transaction is on disk; `publish` tells the listeners then. */
  write(writer: DbWriter, blocks: readonly NewBlock[], commitments: CommitmentRow): void {
    for (const block of blocks) this.#writeBlock(writer, block);
    writer.put(this.#tables.chain, COMMITMENTS, encodeCommitments(commitments));
    writer.afterCommit(() => {
      this.#commitments = commitments;
      for (const { block, receipts } of blocks) {
        this.#blocks.put(block.header.number, block);
        this.#receipts.put(block.header.number, receipts);
      }
    });
  }

  publish(blocks: readonly NewBlock[]): void {
    for (const listener of this.#listeners) listener({ blocks, heads: this.heads });
  }

  #writeBlock(writer: DbWriter, executed: NewBlock): void {
    const { block, receipts, refused, origin, remainders } = executed;
    const { number } = block.header;
    const key = numberKey(number);
    const tables = this.#tables;
    this.#headerRows.put(writer, number, { ...block, transactions: block.transactions.length, origin });
    writer.put(tables.numbers, hashKey(block.hash), key);
    // What holds nothing needs no row: the header says so.
    if (!hasEmptyBody(block.header)) writer.put(tables.bodies, key, encodeBody(block));
    if (receipts.length > 0) writer.put(tables.receipts, key, encodeReceipts(receipts));
    block.transactions.forEach(({ hash }, index) => {
      writer.put(tables.transactions, hashKey(hash), encodePlace(number, index));
    });
    if (refused.length > 0) writer.put(tables.refused, key, encodeRefused(refused));
    refused.forEach(({ hash }, index) => {
      writer.put(tables.refusals, hashKey(hash), encodePlace(number, index));
    });
    for (const [recipient, wei] of remainders) writeRemainder(writer, tables.remainders, recipient, wei);
    if (block.withdrawals.length > 0) writer.put(tables.chain, WITHDRAWALS, numberKey(executed.nextWithdrawalIndex));
    this.#logs.write(writer, number, receipts);
    for (const indexer of this.#options.indexers) indexer.write(writer, executed);
  }

  #numberOf(ref: BlockRef): bigint | undefined {
    if (typeof ref === 'bigint') return ref;
    const row = this.#tables.numbers.get(hashKey(ref));
    return row && numberFromKey(row);
  }

  #headerRow(number: bigint | undefined): HeaderRow | undefined {
    if (number === undefined || number < 0n || this.#commitments === undefined) return undefined;
    if (number > this.#commitments.soft) return undefined;
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
const WITHDRAWALS = Buffer.from('withdrawals');
const ORIGIN = Buffer.from('origin');

function openTables(database: Database) {
  return {
    /** Commitments, index of the next withdrawal, and what the database was begun with. */
    chain: database.table('chain'),
    /** By number. */
    headers: database.table('headers'),
    bodies: database.table('bodies'),
    receipts: database.table('receipts'),
    refused: database.table('refused'),
    /** Numbers by block hash. */
    numbers: database.table('numbers'),
    /** Places by transaction hash: in blocks, and among the refused. */
    transactions: database.table('transactions'),
    refusals: database.table('refusals'),
    /** Wei by recipient. */
    remainders: database.table('remainders'),
  };
}

function metadataOf(number: bigint, { hash, header, origin }: HeaderRow): BlockMetadata {
  return { number, hash, parentHash: header.parentHash, ...origin };
}

/** A decoded transaction is some fifteen objects beside its bytes. */
function weightOfBlock({ size, transactions }: StoredBlock): number {
  return 2_000 + size + transactions.length * 1_200;
}

function weightOfReceipts(receipts: readonly StoredReceipt[]): number {
  return receipts.reduce((sum, { logs }) => sum + 400 + logs.length * 600, 100);
}

function writeRemainder(writer: DbWriter, table: Table, recipient: Address, wei: bigint): void {
  if (wei === 0n) writer.remove(table, bytesOf(recipient));
  else writer.put(table, bytesOf(recipient), numberKey(wei));
}
