import type { Address, Withdrawal } from '@switchyard/evm-machine/types';
import { hexToBytes } from '@switchyard/protocol/ethereum';
import type { ExecutedBlock, InternalCall } from '../../chain/chain.ts';
import type { Database, DbWriter, Table } from '../../database/database.ts';
import { nonceAndRecipient } from './fields.ts';
import { addressKey, afterPrefix, nonceKey, type Place, placeAt, placeKey, placeOfKey } from './keys.ts';
import {
  type Creation,
  decodeCreation,
  decodeInternal,
  decodeRoles,
  decodeTransfer,
  decodeWithdrawal,
  encodeCreation,
  encodeInternal,
  encodeTransfer,
  encodeWithdrawal,
  ROLE_BITS,
  type Role,
  type TransferRow,
} from './rows.ts';
import { getTransfers } from './transfers.ts';

/** Which rows of an address to read: those after or before a place, which is itself left out. */
export interface Page {
  readonly after?: Place | undefined;
  readonly before?: Place | undefined;
  /** The newest first; otherwise the oldest. */
  readonly newestFirst: boolean;
  readonly limit: number;
}

export interface AddressTransaction extends Place {
  readonly roles: readonly Role[];
}

/** Index by address, and of facts that a chain does not answer on its own. Written with each block, in its transaction. */
export class AddressIndex {
  readonly #transactions: Table;
  readonly #transfers: Table;
  readonly #withdrawals: Table;
  readonly #internal: Table;
  readonly #creations: Table;
  readonly #nonces: Table;

  constructor(database: Database) {
    this.#transactions = database.table('index-transactions');
    this.#transfers = database.table('index-transfers');
    this.#withdrawals = database.table('index-withdrawals');
    this.#internal = database.table('index-internal');
    this.#creations = database.table('index-creations');
    this.#nonces = database.table('index-nonces');
  }

  write(writer: DbWriter, executed: ExecutedBlock): void {
    this.#eachRow(executed, (table, key, value) => writer.put(table, key, value));
    for (const [contract, creation] of creationsIn(executed)) {
      writer.put(this.#creations, hexToBytes(contract), encodeCreation(creation));
    }
  }

  /** Removes the rows of `write` for the block, except the makers of contracts, which are queried while these exist. */
  remove(writer: DbWriter, block: Omit<ExecutedBlock, 'internal' | 'refused'>): void {
    const { number } = block.block.header;
    const internal = block.block.transactions.map((_, position) => this.internalCalls({ block: number, position }));
    this.#eachRow({ ...block, internal }, (table, key) => writer.remove(table, key));
  }

  #eachRow({ block, receipts, internal }: Omit<ExecutedBlock, 'refused'>, use: UseRow): void {
    const { number } = block.header;
    let firstLog = 0;
    for (const [index, transaction] of block.transactions.entries()) {
      const receipt = receipts[index];
      const place = { block: number, position: index };
      const { nonce, to } = nonceAndRecipient(transaction.raw);
      const calls = internal[index] ?? NO_CALLS;
      const roles = rolesIn(transaction.from, to, receipt?.contractAddress, calls);
      for (const [address, bits] of roles) {
        use(this.#transactions, addressKey(address, place), Uint8Array.of(bits));
      }
      use(this.#nonces, nonceKey(transaction.from, nonce), placeKey(place));
      if (calls.length > 0) use(this.#internal, placeKey(place), encodeInternal(calls));
      for (const [offset, log] of receipt?.logs.entries() ?? []) {
        for (const [item, transfer] of getTransfers(log).entries()) {
          const row = encodeTransfer({ ...transfer, transactionIndex: index });
          const logPlace = { block: number, position: firstLog + offset, item };
          use(this.#transfers, addressKey(transfer.from, logPlace), row);
          if (transfer.to !== transfer.from) use(this.#transfers, addressKey(transfer.to, logPlace), row);
        }
      }
      firstLog += receipt?.logs.length ?? 0;
    }
    for (const [position, withdrawal] of block.withdrawals.entries()) {
      const key = addressKey(withdrawal.address, { block: number, position });
      use(this.#withdrawals, key, encodeWithdrawal(withdrawal));
    }
  }

  /** Transactions that the address sent, received, was made by, or took part in by an internal call that moved value. */
  getTransactions(address: Address, page: Page): AddressTransaction[] {
    return this.#rows(this.#transactions, address, page, ([key, value]) => ({
      ...placeOfKey(key),
      roles: decodeRoles(value),
    }));
  }

  /** Transfers of tokens from or to the address. `position` counts the logs of the block. */
  getTransfers(address: Address, page: Page): (TransferRow & Place)[] {
    return this.#rows(this.#transfers, address, page, ([key, value]) => ({
      ...placeOfKey(key),
      ...decodeTransfer(value),
    }));
  }

  getWithdrawals(address: Address, page: Page): (Withdrawal & Place)[] {
    return this.#rows(this.#withdrawals, address, page, ([key, value]) => ({
      ...placeOfKey(key),
      ...decodeWithdrawal(value, address),
    }));
  }

  /** Calls inside a transaction that moved value, made or destroyed a contract. */
  internalCalls(place: Place): readonly InternalCall[] {
    const row = this.#internal.get(placeKey(place));
    return row === undefined ? [] : decodeInternal(row);
  }

  creation(contract: Address): Creation | undefined {
    const row = this.#creations.get(hexToBytes(contract));
    return row && decodeCreation(row);
  }

  /** The transaction that used this nonce of the sender. */
  bySenderAndNonce(sender: Address, nonce: bigint): Place | undefined {
    const row = this.#nonces.get(nonceKey(sender, nonce));
    return row && placeAt(row);
  }

  #rows<T>(
    table: Table,
    address: Address,
    { after, before, newestFirst, limit }: Page,
    read: (row: readonly [Uint8Array, Uint8Array]) => T,
  ): T[] {
    const prefix = hexToBytes(address);
    const from = after === undefined ? prefix : afterPrefix(addressKey(address, after));
    const to = before === undefined ? afterPrefix(prefix) : addressKey(address, before);
    const bounds = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
    return table.range({ ...bounds, reverse: newestFirst, limit }).map(read);
  }
}

type UseRow = (table: Table, key: Uint8Array, value: Uint8Array) => void;

const NO_CALLS: readonly InternalCall[] = [];

function* creationsIn({ block, receipts, internal }: ExecutedBlock): Generator<[Address, Creation]> {
  for (const [index, { from: creator, hash: transaction }] of block.transactions.entries()) {
    const receipt = receipts[index];
    const created = receipt?.status === 1 ? receipt.contractAddress : undefined;
    if (created !== undefined) yield [created, { creator, transaction }];
    for (const { kind, from, to } of internal[index] ?? []) {
      if (kind === 'create' || kind === 'create2') yield [to, { creator: from, transaction }];
    }
  }
}

/** Bits of the roles of each address that has some. */
function rolesIn(from: Address, to: Address | undefined, created: Address | undefined, calls: readonly InternalCall[]) {
  const roles = new Map<Address, number>([[from, ROLE_BITS.from]]);
  const add = (address: Address, bit: number): void => void roles.set(address, (roles.get(address) ?? 0) | bit);
  if (to !== undefined) add(to, ROLE_BITS.to);
  if (created !== undefined) add(created, ROLE_BITS.created);
  for (const call of calls) {
    add(call.from, ROLE_BITS.internal);
    add(call.to, ROLE_BITS.internal);
  }
  return roles;
}
