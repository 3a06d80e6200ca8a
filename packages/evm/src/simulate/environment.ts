import type { Common } from '@ethereumjs/common';
import type { Address, Hash, Header } from '../types.ts';

/** Rules of the fork that a block with this number and this time (in seconds) belongs to. */
export type Rules = (number: bigint, timestamp: bigint) => Common;

/** What code can learn of the block that it runs in. */
export interface Environment {
  readonly number: bigint;
  readonly timestamp: bigint;
  readonly gasLimit: bigint;
  readonly coinbase: Address;
  readonly difficulty: bigint;
  readonly prevRandao: Hash;
  /** Undefined before London. */
  readonly baseFeePerGas: bigint | undefined;
  /** Undefined before Cancun. */
  readonly blobBaseFee: bigint | undefined;
}

export function environmentOf(header: Header, rules: Common): Environment {
  return {
    number: header.number,
    timestamp: header.timestamp,
    gasLimit: header.gasLimit,
    coinbase: header.coinbase,
    difficulty: header.difficulty,
    prevRandao: header.mixHash,
    baseFeePerGas: header.baseFeePerGas,
    blobBaseFee: header.excessBlobGas === undefined ? undefined : blobBaseFee(header.excessBlobGas, rules),
  };
}

/** EIP-4844: price of a unit of blob gas. */
export function blobBaseFee(excess: bigint, rules: Common): bigint {
  const fraction = rules.getBlobGasSchedule().blobGasPriceUpdateFraction;
  // A Taylor series of e to the power of excess / fraction, in integers, as the EIP has it.
  let sum = 0n;
  let term = fraction;
  for (let i = 1n; term > 0n; i += 1n) {
    sum += term;
    term = (term * excess) / (fraction * i);
  }
  return sum / fraction;
}
