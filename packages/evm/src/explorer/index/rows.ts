import type { Address, Hash, Withdrawal } from '@switchyard/evm-machine/types';
import { asBytes, asList, asUint, bytesToHex, decodeRlp, encodeRlp } from '@switchyard/protocol/ethereum';
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
  const [kind, token, from, to, amount, index, id] = asList(decodeRlp(bytes));
  return {
    standard: STANDARDS[Number(asUint(kind, 1))] ?? 'erc20',
    token: bytesToHex(asBytes(token, 20)),
    from: bytesToHex(asBytes(from, 20)),
    to: bytesToHex(asBytes(to, 20)),
    id: id === undefined ? undefined : asUint(id, 32),
    amount: asUint(amount, 32),
    transactionIndex: Number(asUint(index, 4)),
  };
}

const KINDS = ['call', 'create', 'create2', 'selfdestruct'] as const;

export function encodeInternal(calls: readonly InternalCall[]): Uint8Array {
  return encodeRlp(
    calls.map(({ kind, from, to, value, depth }) => [BigInt(KINDS.indexOf(kind)), from, to, value, BigInt(depth)]),
  );
}

export function decodeInternal(bytes: Uint8Array): readonly InternalCall[] {
  return asList(decodeRlp(bytes)).map((item) => {
    const [kind, from, to, value, depth] = asList(item, 5);
    return {
      kind: KINDS[Number(asUint(kind, 1))] ?? 'call',
      from: bytesToHex(asBytes(from, 20)),
      to: bytesToHex(asBytes(to, 20)),
      value: asUint(value, 32),
      depth: Number(asUint(depth, 2)),
    };
  });
}

export function encodeWithdrawal({ index, validatorIndex, amount }: Withdrawal): Uint8Array {
  return encodeRlp([index, validatorIndex, amount]);
}

export function decodeWithdrawal(bytes: Uint8Array, address: Address): Withdrawal {
  const [index, validatorIndex, amount] = asList(decodeRlp(bytes), 3);
  return { index: asUint(index, 8), validatorIndex: asUint(validatorIndex, 8), address, amount: asUint(amount, 8) };
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
  const [creator, transaction] = asList(decodeRlp(bytes), 2);
  return { creator: bytesToHex(asBytes(creator, 20)), transaction: bytesToHex(asBytes(transaction, 32)) };
}
