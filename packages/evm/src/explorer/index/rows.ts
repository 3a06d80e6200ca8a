import type { Address, Hash, Withdrawal } from '@switchyard/evm-machine/types';
import { decodeRlp, encodeRlp, hexOf, listOf, stringOf, uintOf } from '@switchyard/protocol/ethereum';
import type { InternalCall } from '../../chain/chain.ts';
import type { TokenTransfer } from './transfers.ts';

/* How the index lies in the database. The tests pin bytes; a change here changes the format. */

/** Role of an address in a transaction. */
export type Role = 'from' | 'to' | 'created' | 'internal';

const ROLES: readonly Role[] = ['from', 'to', 'created', 'internal'];

/** One bit for each role, so that several are a sum. */
export const ROLE_BITS = { from: 1, to: 2, created: 4, internal: 8 } as const satisfies Record<Role, number>;

export function decodeRoles([bits = 0]: Uint8Array): readonly Role[] {
  return ROLES.filter((_, bit) => (bits & (1 << bit)) !== 0);
}

const STANDARDS = ['erc20', 'erc721', 'erc1155'] as const;

export interface TransferRow extends TokenTransfer {
  /** In its block. */
  readonly transactionIndex: number;
}

export function encodeTransfer(row: TransferRow): Uint8Array {
  const { standard, token, from, to, id, amount, transactionIndex } = row;
  const kind = BigInt(STANDARDS.indexOf(standard));
  return encodeRlp([kind, token, from, to, amount, BigInt(transactionIndex), ...(id === undefined ? [] : [id])]);
}

export function decodeTransfer(bytes: Uint8Array): TransferRow {
  const [kind, token, from, to, amount, index, id] = listOf(decodeRlp(bytes));
  return {
    standard: STANDARDS[Number(uintOf(kind, 1))] ?? 'erc20',
    token: hexOf(stringOf(token, 20)),
    from: hexOf(stringOf(from, 20)),
    to: hexOf(stringOf(to, 20)),
    id: id === undefined ? undefined : uintOf(id, 32),
    amount: uintOf(amount, 32),
    transactionIndex: Number(uintOf(index, 4)),
  };
}

const KINDS = ['call', 'create', 'create2', 'selfdestruct'] as const;

export function encodeInternal(calls: readonly InternalCall[]): Uint8Array {
  return encodeRlp(
    calls.map(({ kind, from, to, value, depth }) => [BigInt(KINDS.indexOf(kind)), from, to, value, BigInt(depth)]),
  );
}

export function decodeInternal(bytes: Uint8Array): readonly InternalCall[] {
  return listOf(decodeRlp(bytes)).map((item) => {
    const [kind, from, to, value, depth] = listOf(item, 5);
    return {
      kind: KINDS[Number(uintOf(kind, 1))] ?? 'call',
      from: hexOf(stringOf(from, 20)),
      to: hexOf(stringOf(to, 20)),
      value: uintOf(value, 32),
      depth: Number(uintOf(depth, 2)),
    };
  });
}

export function encodeWithdrawal({ index, validatorIndex, amount }: Withdrawal): Uint8Array {
  return encodeRlp([index, validatorIndex, amount]);
}

export function decodeWithdrawal(bytes: Uint8Array, address: Address): Withdrawal {
  const [index, validatorIndex, amount] = listOf(decodeRlp(bytes), 3);
  return { index: uintOf(index, 8), validatorIndex: uintOf(validatorIndex, 8), address, amount: uintOf(amount, 8) };
}

/** Creator of a contract, and the transaction that created it. */
export interface Creation {
  readonly creator: Address;
  readonly transaction: Hash;
}

export function encodeCreation({ creator, transaction }: Creation): Uint8Array {
  return encodeRlp([creator, transaction]);
}

export function decodeCreation(bytes: Uint8Array): Creation {
  const [creator, transaction] = listOf(decodeRlp(bytes), 2);
  return { creator: hexOf(stringOf(creator, 20)), transaction: hexOf(stringOf(transaction, 32)) };
}
