import { paramsBlock } from '@ethereumjs/block';
import type { Common } from '@ethereumjs/common';
import { paramsEVM } from '@ethereumjs/evm';
import type { Address, Hash, Header } from '../types.ts';

/** Rules of the fork that a block with this number and this time (in seconds) belongs to. */
export type Rules = (number: bigint, timestamp: bigint) => Common;

/** The same rules with the numbers of interpreter and blocks, which the library adds only where it makes one itself. */
export function withNumbers(rules: Rules): Rules {
  const known = new WeakMap<Common, Common>();
  return (number, timestamp) => {
    const given = rules(number, timestamp);
    const made = known.get(given);
    if (made !== undefined) return made;
    const own = given.copy();
    own.updateParams(paramsBlock);
    own.updateParams(paramsEVM);
    known.set(given, own);
    return own;
  };
}

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
  return blobGasPrice(excess, rules.getBlobGasSchedule().blobGasPriceUpdateFraction);
}

/** The same in wei. @param fraction How fast it moves, of the fork. */
export function blobGasPrice(excess: bigint, fraction: bigint): bigint {
  // A Taylor series of e to the power of excess / fraction, in integers, as the EIP has it.
  let sum = 0n;
  let term = fraction;
  for (let i = 1n; term > 0n; i += 1n) {
    sum += term;
    term = (term * excess) / (fraction * i);
  }
  return sum / fraction;
}

const GAS_OF_BLOB = 131_072n;
/** EIP-7918. */
const BLOB_BASE_COST = 8_192n;

/** EIP-4844, with the reserve price of EIP-7918 from Osaka on: excess blob gas of the block after `parent`. */
export function nextExcessBlobGas(parent: Header, rules: Common): bigint {
  const { excessBlobGas = 0n, blobGasUsed = 0n, baseFeePerGas = 0n } = parent;
  const { targetBlobGasPerBlock: target, maxBlobGasPerBlock: most } = rules.getBlobGasSchedule();
  if (excessBlobGas + blobGasUsed < target) return 0n;
  const isCheap = BLOB_BASE_COST * baseFeePerGas > GAS_OF_BLOB * blobBaseFee(excessBlobGas, rules);
  if (rules.isActivatedEIP(7918) && isCheap) return excessBlobGas + (blobGasUsed * (most - target)) / most;
  return excessBlobGas + blobGasUsed - target;
}
