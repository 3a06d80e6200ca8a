import { paramsBlock } from '@ethereumjs/block';
import { type Common, Hardfork } from '@ethereumjs/common';
import { type BlobSchedule, CANCUN_BLOBS } from '../../blob-schedule.ts';
import { FORKS, type Fork, includes } from '../../interpreter/fork.ts';
import type { BlockRules } from '../../simulate/environment.ts';

/** Where EthereumJS has another name. */
const NAMES: Partial<Record<Fork, string>> = { frontier: Hardfork.Chainstart };

const GAS_OF_BLOB = 131_072n;

const known = new WeakMap<Common, BlockRules>();

/** EthereumJS's rules as our interpreter takes them. */
export function blockRules(common: Common): BlockRules {
  const made = known.get(common) ?? read(common);
  known.set(common, made);
  return made;
}

function read(common: Common): BlockRules {
  const fork = FORKS.findLast((each) => common.gteHardfork(NAMES[each] ?? each)) ?? 'frontier';
  return { fork, chainId: common.chainId(), blobs: includes(fork, 'cancun') ? blobsOf(common) : CANCUN_BLOBS };
}

function blobsOf(common: Common): BlobSchedule {
  // The library adds the numbers of blocks only where it makes one itself.
  const numbers = common.copy();
  numbers.updateParams(paramsBlock);
  const { targetBlobGasPerBlock, maxBlobGasPerBlock, blobGasPriceUpdateFraction } = numbers.getBlobGasSchedule();
  return {
    target: Number(targetBlobGasPerBlock / GAS_OF_BLOB),
    max: Number(maxBlobGasPerBlock / GAS_OF_BLOB),
    baseFeeUpdateFraction: Number(blobGasPriceUpdateFraction),
  };
}
