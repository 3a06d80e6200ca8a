import { includes } from '@switchyard/evm-machine/fork';
import type { Header } from '@switchyard/evm-machine/types';
import type { BlockValues } from '@switchyard/evm-machine/values';
import { blobGasPrice } from '../blocks/blob-fees.ts';
import { type BlobSchedule, CANCUN_BLOBS, PRAGUE_BLOBS } from '../rules/blob-schedule.ts';
import { type ForkSchedule, forkAt } from '../rules/forks.ts';
import type { TransactionRules } from '../rules/rules.ts';

/** Settings that decide how a block's transactions are executed, besides the block itself. */
export interface BlockRules extends Omit<TransactionRules, 'gasLimit'> {
  /** Without meaning before Cancun. */
  readonly blobs: BlobSchedule;
}

/** Rules of a block with this number and this time, in seconds. */
export type Rules = (number: bigint, timestamp: bigint) => BlockRules;

/** Rules of a chain that begins with Cancun. */
export function rulesAt(chainId: bigint, schedule: ForkSchedule, maxCodeBytes?: number): Rules {
  return (_, timestamp) => {
    const fork = forkAt(schedule, timestamp);
    const blobs = schedule.times.findLast(({ time, blobs }) => time <= timestamp && blobs !== undefined)?.blobs;
    return { fork, chainId, maxCodeBytes, blobs: blobs ?? (includes(fork, 'prague') ? PRAGUE_BLOBS : CANCUN_BLOBS) };
  };
}

/** Values of the block that would follow the latest one, if a node decides them itself. */
export type NextBlock = Pick<BlockValues, 'timestamp' | 'gasLimit' | 'coinbase' | 'prevRandao' | 'baseFeePerGas'>;

export function makeEnvironment(header: Header, rules: BlockRules): BlockValues {
  const { number, timestamp, gasLimit, coinbase, difficulty, mixHash, baseFeePerGas, excessBlobGas } = header;
  const { slotNumber } = header;
  return {
    ...{ number, timestamp, gasLimit, coinbase, difficulty, prevRandao: mixHash, baseFeePerGas, slotNumber },
    blobBaseFee: excessBlobGas === undefined ? undefined : blobBaseFee(excessBlobGas, rules),
  };
}

/** EIP-4844: price of a unit of blob gas. */
export function blobBaseFee(excess: bigint, { blobs }: BlockRules): bigint {
  return blobGasPrice(excess, BigInt(blobs.baseFeeUpdateFraction));
}

export const GAS_OF_BLOB = 131_072n;
/** EIP-7918. */
const BLOB_BASE_COST = 8_192n;

/** EIP-4844, with the reserve price of EIP-7918 from Osaka on: excess blob gas of the block after `parent`. */
export function nextExcessBlobGas(parent: Header, rules: BlockRules): bigint {
  const { excessBlobGas = 0n, blobGasUsed = 0n, baseFeePerGas = 0n } = parent;
  const target = BigInt(rules.blobs.target) * GAS_OF_BLOB;
  const most = BigInt(rules.blobs.max) * GAS_OF_BLOB;
  if (excessBlobGas + blobGasUsed < target) return 0n;
  const isCheap = BLOB_BASE_COST * baseFeePerGas > GAS_OF_BLOB * blobBaseFee(excessBlobGas, rules);
  if (includes(rules.fork, 'osaka') && isCheap) return excessBlobGas + (blobGasUsed * (most - target)) / most;
  return excessBlobGas + blobGasUsed - target;
}
