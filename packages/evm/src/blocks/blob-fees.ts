import type { Header } from '@switchyard/evm-machine/types';

/** EIP-4844 as Cancun has it. */
const BLOB_GAS_TARGET = 393_216n;
export const MAX_BLOB_GAS = 786_432n;
const BLOB_FEE_FRACTION = 3_338_477n;

/** Price of a unit of blob gas in wei. @param fraction How fast it moves, of the fork. */
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

/** Wei for each unit of blob gas in this block; 0 before Cancun. */
export function blobBaseFee({ excessBlobGas }: Pick<Header, 'excessBlobGas'>): bigint {
  return excessBlobGas === undefined ? 0n : blobGasPrice(excessBlobGas, BLOB_FEE_FRACTION);
}

/** Wei for each unit of blob gas in the block after this one; 0 before Cancun. */
export function nextBlobBaseFee({ excessBlobGas, blobGasUsed = 0n }: Header): bigint {
  if (excessBlobGas === undefined) return 0n;
  const excess = excessBlobGas + blobGasUsed - BLOB_GAS_TARGET;
  return blobBaseFee({ excessBlobGas: excess < 0n ? 0n : excess });
}
