import type { Address, Hash } from '@switchyard/evm-machine/types';
import { bytesToHex, keccakHex, toWord } from '@switchyard/protocol/ethereum';
import { CODE } from '../gen/sequencer-withdrawer.ts';
import type { Predeploy } from '../predeploys/predeploys.ts';

/** The reference's address of the contract that takes coins back to the sequencer. */
export const WITHDRAWER_ADDRESS: Address = '0xa58639fb5458e65e4fa917ff951c390292c24a15';

/** Decimals of a coin of the rollup. */
const DECIMALS = 18;
const NUMBERS = toWord(0n);
/** Bits of that slot below the minimum. */
const PRECISION_BITS = 32n;

/** Values that the contract reads from its storage. */
export interface WithdrawerValues {
  /** Bech32m, the bridge account on the sequencer. */
  readonly address: string;
  readonly asset: string;
  /** Decimals of the asset, at most 18. */
  readonly precision: number;
  /** Fewest of its smallest units in one withdrawal, a number of 64 bits; 1 without it. */
  readonly minimum?: bigint;
}

/** The contract of `contracts/SequencerWithdrawer.sol` for the alloc of a genesis. */
export function withdrawerPredeploy(values: WithdrawerValues): Predeploy {
  const storage = withdrawerStorage(values);
  return { name: 'SequencerWithdrawer', address: WITHDRAWER_ADDRESS, nonce: 1, code: CODE, storage };
}

/** Storage in Solidity's layout: both numbers in the first slot, the texts in the next two. */
export function withdrawerStorage({ address, asset, precision, minimum = 1n }: WithdrawerValues): Record<Hash, Hash> {
  const least = minimum * toUnit(precision);
  return {
    [NUMBERS]: toWord((least << PRECISION_BITS) | BigInt(precision)),
    ...textSlots(1n, address),
    ...textSlots(2n, asset),
  };
}

/** Whether the contract with this storage is that of a bridge account, with any minimum. */
export function isStorageFor(values: WithdrawerValues, storage: ReadonlyMap<Hash, bigint>): boolean {
  const expected = new Map(Object.entries(withdrawerStorage(values)).map(([slot, word]) => [slot, BigInt(word)]));
  const isSame = (slot: string, word: bigint) =>
    slot === NUMBERS ? BigInt.asUintN(32, word) === BigInt(values.precision) : word === expected.get(slot);
  return storage.size === expected.size && [...storage].every(([slot, word]) => isSame(slot, word));
}

/** Wei of the smallest unit of an asset: 10^(decimals − precision). */
export function toUnit(precision: number): bigint {
  return 10n ** BigInt(DECIMALS - precision);
}

/** Up to 31 bytes share the slot with twice their length. Longer text is at the hash of the slot, which has twice its length, plus one. */
function textSlots(slot: bigint, text: string): Record<Hash, Hash> {
  const bytes = Buffer.from(text);
  const { length } = bytes;
  if (length < 32) {
    const word = Buffer.alloc(32);
    bytes.copy(word);
    word[31] = 2 * length;
    return length === 0 ? {} : { [toWord(slot)]: bytesToHex(word) };
  }
  const first = BigInt(keccakHex(Buffer.from(toWord(slot).slice(2), 'hex')));
  const chunks = Array.from({ length: Math.ceil(length / 32) }, (_, index) => {
    const chunk = Buffer.alloc(32);
    bytes.copy(chunk, 0, 32 * index);
    return [toWord(first + BigInt(index)), bytesToHex(chunk)] as const;
  });
  return { [toWord(slot)]: toWord(BigInt(2 * length + 1)), ...Object.fromEntries(chunks) };
}
