import { rollupIdFromName, txHashOf } from '@switchyard/protocol';
import { keccak256 } from 'viem';
import { HttpClient } from '../../support/http-client.ts';
import type { Observed } from '../check/observed.ts';
import type { PostedView } from '../check/posted.ts';
import type { History } from '../history.ts';
import type { Stack } from '../stack.ts';
import { evmHeight, evmView } from './evm.ts';
import { type Layer, postedView } from './layer.ts';
import { messengerHeight, messengerView } from './messenger.ts';
import { includedDeposits, sequencedData, sequencerBlocks, sequencerFunds, sequencerHeight } from './sequencer.ts';

/** Rollup block N is made from sequencer block N in the networks that `dev init` makes. */
export const GENESIS_HEIGHT = 0;

/** State before the load. */
export interface Baseline {
  readonly rollupHeight: number;
  readonly bridgeBalance: bigint;
  readonly deposited: bigint;
}

export interface Observer {
  baseline(history: History): Promise<Baseline>;
  /** Resolves when the rollup has executed all that the sequencer had at the call. @throws when that takes too long. */
  caughtUp(withinMs: number): Promise<void>;
  /** Resolves when nothing waits anywhere on the way to a block of the rollup. @throws if there is no progress for this long. */
  drained(withinMs: number): Promise<void>;
  observe(history: History, baseline: Baseline): Promise<Observed>;
  sequencerHeight(): Promise<number>;
  posted(layer: Layer): Promise<PostedView>;
  close(): void;
}

/** Reads both chains through their public interfaces. */
export function createObserver(stack: Stack, rollup: 'messenger' | 'evm'): Observer {
  const rpcUrl = stack.network.url('rpc');
  const sequencer = new HttpClient(rpcUrl);
  const composer = new HttpClient(stack.network.url('composer'));
  const node = new HttpClient(stack.rollupUrl, { timeoutMs: 60_000 });
  const height = () => (rollup === 'messenger' ? messengerHeight(node) : evmHeight(node, GENESIS_HEIGHT));
  const genesisFile = rollup === 'messenger' ? stack.paths.rollupGenesis : stack.paths.evmGenesis;
  const view = async (history: History, from: number) => {
    const range = { from, to: (await height()) - GENESIS_HEIGHT, genesisFile };
    return rollup === 'messenger' ? messengerView(node, history, range) : evmView(node, history, range);
  };
  const funds = () => sequencerFunds(rpcUrl, stack.paths.sequencerGenesis, stack.bridge);

  /** Transactions that the composer or the rollup's pool still has to bring into a block. */
  const waiting = async (): Promise<number> => {
    const { queuedItems } = (await composer.json('/status')) as { queuedItems: number };
    if (rollup === 'messenger') return queuedItems;
    const { pending, queued } = (await node.rpc('txpool_status')) as { pending: string; queued: string };
    return queuedItems + Number(pending) + Number(queued);
  };
  const caughtUp = async (withinMs: number): Promise<void> => {
    const goal = await sequencerHeight(sequencer);
    let at = -1;
    for (const end = performance.now() + withinMs; performance.now() < end; await rest(200)) {
      at = await height().catch(() => -1);
      if (at >= goal) return;
    }
    throw new Error(`the rollup is at ${at}, the sequencer was at ${goal} ${withinMs / 1_000} s ago`);
  };

  const getId = rollup === 'messenger' ? txHashOf : (bytes: Uint8Array) => keccak256(bytes);

  return {
    caughtUp,
    sequencerHeight: () => sequencerHeight(sequencer),
    posted: (layer) => postedView(layer, { rollup: rollupIdFromName(rollup), getId }),

    async drained(withinMs) {
      let seen: unknown;
      let least = Number.POSITIVE_INFINITY;
      for (let end = performance.now() + withinMs; performance.now() < end; await rest(200)) {
        seen = await waiting().catch(String);
        if (typeof seen === 'number' && seen < least) {
          least = seen;
          end = performance.now() + withinMs;
        }
        if (seen !== 0) continue;
        await caughtUp(withinMs);
        if ((await waiting().catch(String)) === 0) return;
      }
      throw new Error(`on the way to a block after ${withinMs / 1_000} s: ${seen} transactions`);
    },

    async baseline(history) {
      const rollupHeight = await height();
      const { bridgeBalance } = await funds();
      const { deposited } = await view(history, rollupHeight);
      return { rollupHeight, bridgeBalance, deposited };
    },

    async observe(history, baseline) {
      const rollupView = await view(history, baseline.rollupHeight);
      const { supply, genesisSupply, bridgeBalance } = await funds();
      // After the rollup's: it cannot be ahead.
      const newest = await sequencerHeight(sequencer);
      const deposits = await includedDeposits(rpcUrl, history, newest);
      const locked = [...history.sent.values()].reduce(
        (sum, { id, intent }) => sum + (intent.kind === 'deposit' && deposits.has(id) ? BigInt(intent.amount) : 0n),
        0n,
      );
      const sequenced = await sequencedData(
        { rpcUrl, grpcUrl: stack.network.url('grpc') },
        {
          rollup: rollupIdFromName(rollup),
          from: baseline.rollupHeight + 1,
          to: newest,
          getId,
        },
      );
      return {
        ...rollupView,
        deposits,
        sequenced,
        sequencerBlocks: await sequencerBlocks(sequencer, newest),
        genesisHeight: GENESIS_HEIGHT,
        totals: [
          { name: 'supply of the sequencer', expected: genesisSupply, actual: supply },
          { name: 'supply of the rollup', expected: rollupView.genesisSupply, actual: rollupView.supply },
          { name: 'locked in the bridge', expected: locked, actual: bridgeBalance - baseline.bridgeBalance },
          { name: 'deposited on the rollup', expected: locked, actual: rollupView.deposited - baseline.deposited },
        ],
      };
    },

    close() {
      sequencer.close();
      composer.close();
      node.close();
    },
  };
}

const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
