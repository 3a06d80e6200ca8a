import type { Hash, Header, Withdrawal } from '@switchyard/evm-machine/types';
import {
  asBytes,
  asList,
  asUint,
  bytesToHex,
  encodeRlp,
  listHead,
  type RlpInput,
  type RlpTree,
  sizeOfString,
} from '@switchyard/protocol/ethereum';
import type { StoredBlock } from '../chain/chain.ts';
import { encodeHeader, headerItems } from './header.ts';
import { orderedRoot } from './ordered-root.ts';

/** EIP-4895. */
export function encodeWithdrawal(withdrawal: Withdrawal): Uint8Array {
  return encodeRlp(withdrawalItems(withdrawal));
}

export function withdrawalsRoot(withdrawals: readonly Withdrawal[]): Hash {
  return orderedRoot(withdrawals.map(encodeWithdrawal));
}

/** Bytes of their list in a block. */
export function sizeOfWithdrawals(withdrawals: readonly Withdrawal[]): number {
  return encodeRlp(withdrawals.map(withdrawalItems)).length;
}

/** A whole block as Ethereum nodes exchange it: `[header, transactions, uncles, withdrawals]`. */
export function encodeBlock({ header, transactions, withdrawals, uncles }: StoredBlock): Uint8Array {
  const bodies = transactions.map(({ raw }) => (isTyped(raw) ? raw : new Encoded(raw)));
  const items = [encodeHeader(header), listOfEncoded(bodies), encodeRlp((uncles ?? []).map(headerItems))];
  if (header.withdrawalsRoot !== undefined) items.push(encodeRlp(withdrawals.map(withdrawalItems)));
  return joinList(items);
}

/** Length of `encodeBlock`, without making it. */
export function sizeOfBlock(header: Header, transactions: readonly Uint8Array[], withdrawals: readonly Withdrawal[]) {
  const bodies = transactions.reduce((sum, raw) => sum + (isTyped(raw) ? sizeOfString(raw.length) : raw.length), 0);
  const rest = header.withdrawalsRoot === undefined ? 0 : sizeOfWithdrawals(withdrawals);
  const length = encodeRlp(headerItems(header)).length + listHead(bodies).length + bodies + EMPTY_LIST.length + rest;
  return listHead(length).length + length;
}

/** Bytes that are RLP already: a transaction without a type is a list of its own. */
class Encoded {
  constructor(readonly bytes: Uint8Array) {}
}

const EMPTY_LIST = Uint8Array.of(0xc0);

function isTyped(raw: Uint8Array): boolean {
  return (raw[0] ?? 0) < 0x80;
}

function listOfEncoded(items: readonly (Uint8Array | Encoded)[]): Uint8Array {
  return joinList(items.map((item) => (item instanceof Encoded ? item.bytes : encodeRlp(item))));
}

function joinList(items: readonly Uint8Array[]): Uint8Array {
  const length = items.reduce((sum, { length: each }) => sum + each, 0);
  return Buffer.concat([listHead(length), ...items]);
}

export function withdrawalItems({ index, validatorIndex, address, amount }: Withdrawal): RlpInput {
  return [index, validatorIndex, address, amount];
}

/** @throws {InvalidRlp} */
export function decodeWithdrawal(item: RlpTree | undefined): Withdrawal {
  const [index, validatorIndex, address, amount] = asList(item, 4);
  return {
    index: asUint(index, 8),
    validatorIndex: asUint(validatorIndex, 8),
    address: bytesToHex(asBytes(address, 20)),
    amount: asUint(amount, 8),
  };
}
