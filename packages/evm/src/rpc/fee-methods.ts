import { LruCache } from '@switchyard/evm-machine/lru-cache';
import type { Data } from '@switchyard/evm-machine/types';
import { quantity } from '@switchyard/protocol/ethereum';
import { list, type Read } from '@switchyard/service/input';
import { blobBaseFee } from '../blocks/blob-fees.ts';
import { blockNumber, quantity64, readParams } from '../json/params.ts';
import { latestHeader } from '../json/resolve.ts';
import { nextBaseFee } from '../rules/rules.ts';
import { timeBudget } from '../simulate/time-budget.ts';
import type { RpcDeps, RpcMethods } from './deps.ts';
import { feeHistory } from './fee-history.ts';
import { MOVABLE, marked } from './marks.ts';

/**
 * Wei for each unit of gas. The sequencer orders by arrival, so that a tip buys nothing; it is not zero only because
 * wallets take zero for an answer that is missing.
 */
const TIP = 1n;
/** The base fee can double within six full blocks; a transaction signed for the present fee should still be applied then. */
const HEADROOM = 2n;

const MAX_LISTED = 1_000;
const REMEMBERED = 4_096;

/** Methods from which a client learns the fees that a transaction should offer. */
export function feeMethods({ chain, hereMs, clock }: Pick<RpcDeps, 'chain' | 'hereMs' | 'clock'>): RpcMethods {
  return {
    ...feeHistories({ chain, hereMs, clock }),

    eth_gasPrice(params) {
      readParams(params, []);
      return quantity(nextBaseFee(latestHeader(chain).header) * HEADROOM + TIP);
    },

    eth_maxPriorityFeePerGas(params) {
      readParams(params, []);
      return quantity(TIP);
    },

    eth_baseFee(params) {
      readParams(params, []);
      const { header } = latestHeader(chain);
      return header.baseFeePerGas === undefined ? null : quantity(nextBaseFee(header));
    },

    eth_blobBaseFee(params) {
      readParams(params, []);
      return quantity(blobBaseFee(latestHeader(chain).header));
    },
  };
}

/** The history of fees, which needs nothing but the chain. */
export function feeHistories({ chain, hereMs, clock }: Pick<RpcDeps, 'chain' | 'hereMs' | 'clock'>): RpcMethods {
  const tips = new LruCache<string, readonly Data[]>(REMEMBERED);
  return marked(MOVABLE, {
    eth_feeHistory(params) {
      const [blocks, newest, percentiles = []] = readParams(params, [count, blockNumber], [percents]);
      const watch = timeBudget(Number.POSITIVE_INFINITY, { hereMs, clock: () => clock.now() });
      return feeHistory(chain, { blocks, newest, percentiles }, tips, watch);
    },
  });
}

/** Wallets write this number in hex, in decimal digits, or as a number. */
const count: Read<bigint> = (input) =>
  typeof input.value === 'string' && /^[0-9]{1,18}$/.test(input.value) ? BigInt(input.value) : quantity64(input);

const percents = list(
  (input): number => (typeof input.value === 'number' ? input.value : input.fail('a number')),
  MAX_LISTED,
);
