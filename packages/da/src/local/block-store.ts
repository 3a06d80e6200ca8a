/** Blocks of the local layer on disk. A block, its transactions' heights and the accounts after it are written as one. */
import {
  decodeSignedHeader,
  encodeSignedHeader,
  Reader,
  type SignedHeader,
  type TxHash,
  txHashOf,
  Writer,
} from '@switchyard/protocol';
import { decodeBlobTx } from '@switchyard/protocol/celestia';
import { type StoreDamaged, StoreFile } from '@switchyard/storage';
import { type Accounts, decodeAccounts, encodeAccounts } from './accounts.ts';

export interface StoredBlock extends SignedHeader {
  /** As they were sent. */
  readonly txs: readonly Uint8Array[];
}

export interface BlockStore {
  /** Height of the newest; undefined before the first. */
  readonly head: bigint | undefined;
  /** Lowest height above the first from which all blocks are there. The first one stays, since trust may begin with it. */
  readonly tail: bigint;
  block(height: bigint): StoredBlock | undefined;
  /** In which block a transaction is. */
  heightOf(id: TxHash): bigint | undefined;
  accounts(): Accounts | undefined;
  /** On disk when it resolves. @throws {StoreNotWritten} */
  append(block: StoredBlock, ids: readonly TxHash[], accounts: Accounts): Promise<void>;
  /** Deletes what is below a height, some blocks at a time. */
  prune(below: bigint): void;
  close(): Promise<void>;
}

const BLOCK = 'block/';
const ACCOUNTS = 'accounts';
/** Numbers of fixed width sort as numbers. */
const blockKey = (height: bigint): string => `${BLOCK}${String(height).padStart(16, '0')}`;
const txKey = (id: TxHash): string => `tx/${id}`;

/** More than are produced meanwhile, so that a lower limit takes effect after some time. */
const PRUNED_AT_ONCE = 16;

/** @throws {StoreDamaged} */
export function openBlockStore(directory: string, onDamage?: (error: StoreDamaged) => void): BlockStore {
  const file = new StoreFile<string>(directory, 'da-blocks', { keys: 'text', onDamage });
  let head: bigint | undefined;
  for (const key of file.main.keys({ start: `${BLOCK}~`, end: BLOCK, reverse: true, limit: 1 })) {
    head = BigInt(key.slice(BLOCK.length));
  }
  let tail = 2n;
  for (const key of file.main.keys({ start: blockKey(2n), end: `${BLOCK}~`, limit: 1 })) {
    tail = BigInt(key.slice(BLOCK.length));
  }
  return {
    get head() {
      return head;
    },
    get tail() {
      return tail;
    },
    block(height) {
      const bytes = file.main.get(blockKey(height));
      return bytes && decodeStored(bytes);
    },
    heightOf(id) {
      const bytes = file.main.get(txKey(id));
      return bytes && new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0);
    },
    accounts() {
      const bytes = file.main.get(ACCOUNTS);
      return bytes && decodeAccounts(bytes);
    },
    async append(block, ids, accounts) {
      const { height } = block.header;
      const place = new Uint8Array(8);
      new DataView(place.buffer).setBigUint64(0, height);
      await file.batch(() => {
        void file.main.put(blockKey(height), encodeStored(block));
        void file.main.put(ACCOUNTS, encodeAccounts(accounts));
        for (const id of ids) void file.main.put(txKey(id), place);
      });
      head = height;
    },
    prune(below) {
      for (let count = 0; tail < below && count < PRUNED_AT_ONCE; count += 1, tail += 1n) {
        for (const id of idsOf(this.block(tail))) void file.main.remove(txKey(id));
        void file.main.remove(blockKey(tail));
      }
    },
    close: () => file.close(),
  };
}

const idsOf = (block: StoredBlock | undefined): TxHash[] =>
  block?.txs.map((tx) => txHashOf(decodeBlobTx(tx).payment)) ?? [];

function encodeStored({ txs, ...signed }: StoredBlock): Uint8Array {
  const header = encodeSignedHeader(signed);
  const writer = new Writer(txs.reduce((sum, { length }) => sum + length + 6, header.length + 8)).bytesAlways(
    1,
    header,
  );
  for (const tx of txs) writer.bytesAlways(2, tx);
  return writer.finish();
}

function decodeStored(bytes: Uint8Array): StoredBlock {
  const reader = new Reader(bytes, 'block');
  const txs: Uint8Array[] = [];
  let header: Uint8Array = new Uint8Array();
  while (reader.next()) {
    if (reader.field === 1) header = reader.bytes();
    else txs.push(reader.bytes());
  }
  return { ...decodeSignedHeader(header), txs };
}
