import type { Header } from '@switchyard/evm-machine/types';
import { blobGasPrice } from '../simulate/environment.ts';

/** EIP-4844 as Cancun has it. */
const BLOB_GAS_TARGET = 393_216n;
export const MAX_BLOB_GAS = 786_432n;
const BLOB_FEE_FRACTION = 3_338_477n;

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
