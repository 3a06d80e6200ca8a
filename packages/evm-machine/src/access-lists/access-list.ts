import { encodeRlp, keccakHex, type RlpInput } from '@switchyard/protocol/ethereum';
import type { Address, Hash } from '../types.ts';

/** All accounts and slots that a block accesses, with its changes to them (EIP-7928). In the order of the addresses. */
export type BlockAccessList = readonly AccountAccess[];

export interface AccountAccess {
  readonly address: Address;
  /** In the order of the slots. */
  readonly storageChanges: readonly SlotChanges[];
  /** Slots that are read, and none that is changed. In their order. */
  readonly storageReads: readonly Hash[];
  readonly balanceChanges: readonly Change<bigint>[];
  readonly nonceChanges: readonly Change<bigint>[];
  readonly codeChanges: readonly Change<Uint8Array>[];
}

export interface SlotChanges {
  readonly slot: Hash;
  /** At least one. */
  readonly changes: readonly Change<bigint>[];
}

/** In the order of the indices, each with one change at most. */
export interface Change<T> {
  /** 0 before the transactions, 1 for the first of them, one more than their number after the last. */
  readonly index: number;
  /** Value after it. */
  readonly value: T;
}

/** Gas that a block has for each address and each slot of its list. */
const ITEM_GAS = 2_000n;

export function encodeAccessList(list: BlockAccessList): Uint8Array {
  return encodeRlp(list.map(accountItems));
}

/** Hash that the header commits to. */
export function hashOfAccessList(encoded: Uint8Array): Hash {
  return keccakHex(encoded);
}

/** Addresses and slots that a list names. */
export function itemsIn(list: BlockAccessList): number {
  return list.reduce(
    (sum, { storageChanges, storageReads }) => sum + 1 + storageChanges.length + storageReads.length,
    0,
  );
}

/** Number of items that a list may have. */
export function mostItems(gasLimit: bigint): bigint {
  return gasLimit / ITEM_GAS;
}

function accountItems(account: AccountAccess): RlpInput {
  const { address, storageChanges, storageReads, balanceChanges, nonceChanges, codeChanges } = account;
  return [
    address,
    storageChanges.map(({ slot, changes }) => [keyItem(slot), changes.map(changeItems)]),
    storageReads.map(keyItem),
    balanceChanges.map(changeItems),
    nonceChanges.map(changeItems),
    codeChanges.map(changeItems),
  ];
}

/** The number without leading zeros. Most keys are hashes, which need no conversion. */
function keyItem(slot: Hash): RlpInput {
  return slot.startsWith('0x00') ? BigInt(slot) : slot;
}

function changeItems({ index, value }: Change<bigint | Uint8Array>): RlpInput {
  return [BigInt(index), value];
}
