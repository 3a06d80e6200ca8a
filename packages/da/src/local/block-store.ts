/** Blocks of the local layer on disk. A block, its transactions' heights and the accounts after it are written as one. */
import { type TxHash, txHashOf } from '@switchyard/protocol';
import { decodeBlobTx } from '@switchyard/protocol/celestia';
import { type StoreDamaged, StoreFile } from '@switchyard/storage';
import { type Accounts, decodeAccounts, encodeAccounts } from './accounts.ts';
import { decodeRow, encodeWhole, restored, type StoredBlock, shortRow } from './block-row.ts';

export type BlockStore = ReturnType<typeof openBlockStore>;

const BLOCK = 'block/';
const ACCOUNTS = 'accounts';
/** Numbers of fixed width sort as numbers. */
const blockKey = (height: bigint): string => `${BLOCK}${String(height).padStart(16, '0')}`;
const txKey = (id: TxHash): string => `tx/${id}`;

/** More than are produced in the meantime, so that a lower limit takes effect after some time. */
const PRUNED_AT_ONCE = 16;

/** @throws {StoreDamaged} */
export function openBlockStore(directory: string, onDamage?: (error: StoreDamaged) => void) {
  const file = new StoreFile<string>(directory, 'da-blocks', { keys: 'text', onDamage });
  let head: bigint | undefined;
  for (const key of file.main.keys({ start: `${BLOCK}~`, end: BLOCK, reverse: true, limit: 1 })) {
    head = BigInt(key.slice(BLOCK.length));
  }
  const rowAt = (height: bigint) => {
    const bytes = file.main.get(blockKey(height));
    return bytes && decodeRow(bytes);
  };
  const firstBlock = rowAt(1n);
  let first = firstBlock?.form === 'whole' ? firstBlock.block : undefined;
  let tail = 2n;
  for (const key of file.main.keys({ start: blockKey(2n), end: `${BLOCK}~`, limit: 1 })) {
    tail = BigInt(key.slice(BLOCK.length));
    // The row below the lowest block is kept for their shared parts.
    if (tail > 2n && rowAt(tail)?.form === 'short') tail += 1n;
  }
  return {
    /** Height of the newest; undefined before the first. */
    get head() {
      return head;
    },
    /** Lowest height above the first from which all blocks are there. The first one stays, since trust may begin with it. */
    get tail() {
      return tail;
    },
    block(height: bigint): StoredBlock | undefined {
      const row = rowAt(height);
      if (row?.form !== 'short') return row?.block;
      const before = rowAt(height - 1n);
      return first && before && restored(row, height, { first, before });
    },
    /** In which block a transaction is. */
    findHeight(id: TxHash): bigint | undefined {
      const bytes = file.main.get(txKey(id));
      return bytes && new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0);
    },
    accounts(): Accounts | undefined {
      const bytes = file.main.get(ACCOUNTS);
      return bytes && decodeAccounts(bytes);
    },
    /** On disk when it resolves. @throws {StoreNotWritten} */
    async append(block: StoredBlock, ids: readonly TxHash[], accounts: Accounts): Promise<void> {
      const { height } = block.header;
      const place = new Uint8Array(8);
      new DataView(place.buffer).setBigUint64(0, height);
      const before = rowAt(height - 1n);
      const row = (first && before && shortRow(block, { first, before })) ?? encodeWhole(block);
      await file.batch(() => {
        void file.main.put(blockKey(height), row);
        if (ids.length > 0 || head === undefined) void file.main.put(ACCOUNTS, encodeAccounts(accounts));
        for (const id of ids) void file.main.put(txKey(id), place);
      });
      head = height;
      first ??= block;
    },
    /** Deletes blocks below a height, some blocks at a time. */
    prune(below: bigint): void {
      for (let count = 0; tail < below && count < PRUNED_AT_ONCE; count += 1, tail += 1n) {
        for (const id of getIds(this.block(tail))) void file.main.remove(txKey(id));
        if (tail > 2n) void file.main.remove(blockKey(tail - 1n));
      }
    },
    close: () => file.close(),
  };
}

const getIds = (block: StoredBlock | undefined): TxHash[] =>
  block?.txs.map((tx) => txHashOf(decodeBlobTx(tx).payment)) ?? [];
