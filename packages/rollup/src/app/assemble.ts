import type { Store } from '@switchyard/machine';
import type { TxHash } from '@switchyard/protocol';
import {
  type Clock,
  KEEP_ALL,
  type Logger,
  type Metrics,
  RateLimit,
  type Retention,
  systemClock,
} from '@switchyard/service';
import type { JsonRpcServer } from '@switchyard/service/json-rpc';
import type { Hono } from 'hono';
import { firmLayerHeight } from '../execution/executor.ts';
import { ExecutionHost } from '../execution/host.ts';
import { watchBugs } from './bug-watch.ts';
import { RollupChain } from './chain.ts';
import type { Collector } from './collector.ts';
import type { RollupDefinition } from './definition.ts';
import { Forwarder } from './forwarder.ts';
import { rollupHttp } from './http/app.ts';
import { blockJson } from './http/blocks.ts';
import { RefusalAllowance } from './http/refusal-allowance.ts';
import type { NodeStatus } from './http/status.ts';
import { withTimeout } from './http/transactions.ts';
import { Intake } from './intake.ts';
import type { RollupNode } from './node.ts';
import { observeChain } from './node-metrics.ts';
import { OutcomeQueries } from './outcome-queries.ts';
import { PendingTransactions } from './pending.ts';
import { SequencerWatch } from './sequencer-watch.ts';
import { inlineVerifier, type SignatureVerifier } from './signatures/verifier.ts';
import { getBlock } from './stored-blocks.ts';
import { EventStreams } from './streams/event-streams.ts';
import { liveServer } from './streams/live.ts';
import { PartReader } from './streams/parts.ts';
import { sweepPending } from './sweep.ts';
import { bringSignatures } from './transaction.ts';

/** Parts of a rollup node besides its definition. */
export interface NodeDeps {
  readonly store: Store;
  readonly collector: Collector;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
  /** Verifies batches at the intake; without it the node's own thread does. */
  readonly verifier?: SignatureVerifier;
  readonly clock?: Clock;
  /** Milliseconds that a block and a check at the intake may take, in a test. */
  readonly handlerLimitMs?: number | undefined;
  /** How many blocks are kept; everything, if absent. */
  readonly retention?: Retention;
}

export const NODE_BOUNDS = {
  maxRequestsPerSecond: 50_000,
  /** Longest wait of a submitter for the composer's answer. */
  answerWithinMs: 15_000,
  maxQueuedItems: 32_768,
  maxQueuedBytes: 16 * 1_048_576,
  maxPending: 32_768,
  maxStreams: 1_024,
  maxStreamsOfAddress: 32,
};
export type NodeBounds = typeof NODE_BOUNDS;

/** A rollup node that listens nowhere yet. */
export interface AssembledNode {
  readonly chain: RollupChain;
  /** For the conductor. */
  readonly host: ExecutionHost;
  /** For everybody else. */
  readonly app: Hono;
  /** For WebSockets at `/v1/live`. */
  readonly live: JsonRpcServer;
  readonly node: RollupNode;
  readonly forwarder: Forwarder;
  /** Passes on submissions, until the signal aborts. */
  work(): Promise<void>;
}

/** Wires the parts of a node together and applies the genesis, if the store is empty. */
export async function assembleNode(
  definition: RollupDefinition,
  bounds: NodeBounds,
  {
    store,
    collector,
    log,
    metrics,
    signal,
    verifier = inlineVerifier,
    clock = systemClock,
    retention = KEEP_ALL,
    handlerLimitMs,
  }: NodeDeps,
): Promise<AssembledNode> {
  const { genesis } = definition;
  const { sequencerGenesisBlockHeight } = genesis;
  await bringSignatures(genesis);
  const pending = new PendingTransactions();
  const known = (hash: TxHash) => pending.get(hash)?.transaction;
  const chain = await RollupChain.open(definition, store, known, retention, log, handlerLimitMs);
  await definition.prepare?.(store, log.child({ component: 'indexes' }), signal);
  observeChain(metrics, chain, pending);
  const { degraded, onLate } = watchBugs(chain, log.child({ component: 'handlers' }), metrics);

  const executedHeight = () => sequencerGenesisBlockHeight + chain.view.soft;
  const watch = new SequencerWatch({
    collector,
    executedHeight,
    async executedHash(height) {
      const number = height - sequencerGenesisBlockHeight;
      return number < 1n ? undefined : (await chain.block({ number }))?.sequencerBlockHash;
    },
    clock,
    log: log.child({ component: 'sequencer-watch' }),
  });
  const forwarder: Forwarder = new Forwarder(
    { maxItems: bounds.maxQueuedItems, maxBytes: bounds.maxQueuedBytes },
    {
      collector,
      log: log.child({ component: 'forwarder' }),
      clock,
      executedHeight,
      obstacle: () => watch.trouble,
      async onFound(held) {
        await watch.look(signal);
        await intake.restore(held);
      },
    },
  );
  const { maxPending, maxRequestsPerSecond: perSecond, answerWithinMs } = bounds;
  const checks = { handlerLimitMs, verifier, onLate };
  const intake = new Intake({ definition, chain, forwarder, pending, clock, maxPending, ...checks });
  const isUnclear = intake.isUnclear.bind(intake);
  const outcomes = new OutcomeQueries({
    chain,
    pending,
    isUnclear,
    definition,
    collector,
    sequencerGenesisBlockHeight,
    signal,
    clock,
  });
  const node: RollupNode = {
    genesis,
    signal,
    indexes: definition.indexes ?? new Map(),
    streams: new EventStreams(bounds, { signal, clock }),
    get view() {
      return chain.view;
    },
    nextNonce: (account) => intake.nextNonce(account),
    committedNonce: (account) => intake.committedNonce(account),
    submit: (bytes) => withTimeout(answerWithinMs, intake.submit(bytes)),
    onCommit: (listener) => chain.onCommit(listener),
  };
  const host = new ExecutionHost(chain, { log: log.child({ component: 'execution' }), clock });
  const status = () => nodeStatus(definition, node, { pending: pending.size, composer: forwarder.ready });
  const health = {
    ready() {
      const reason = host.trouble ?? forwarder.trouble;
      return reason === undefined ? { ok: true, degraded: degraded() } : { ok: false, reason };
    },
    status,
    metrics,
  };
  const reader = new PartReader(node);
  const live = liveServer({
    ...{ definition, node, clock, reader },
    ...{ log: log.child({ component: 'live' }), maxConnections: bounds.maxStreams },
  });
  const refusals = new RefusalAllowance(clock);
  const parts = { reader, health, status };
  const rate = new RateLimit({ perSecond, burst: 2 * perSecond, maxClients: 10_000 });
  return {
    chain,
    host,
    app: rollupHttp({ ...parts, definition, node, intake, outcomes, rate, refusals, log, clock, answerWithinMs }),
    live,
    node,
    forwarder,
    async work() {
      await Promise.all([
        forwarder.run(signal),
        watch.run(signal),
        sweepPending({ chain, pending, collector, sequencerGenesisBlockHeight, intake, clock, log }, signal),
      ]);
    },
  };
}

function nodeStatus(
  { genesis, status }: RollupDefinition,
  { view }: RollupNode,
  { pending, composer }: { readonly pending: number; readonly composer: boolean },
): NodeStatus {
  const firm = getBlock(view.snapshot, view.firm);
  const layerHeight = firmLayerHeight(view.firmMeaning, view.commitments.lowestCelestiaSearchHeight);
  return {
    rollup: genesis.rollupName,
    rollupId: genesis.rollup,
    chainId: genesis.chainId,
    sequencerChainId: genesis.sequencerChainId,
    sequencerGenesisBlockHeight: genesis.sequencerGenesisBlockHeight,
    sequencerHeight: genesis.sequencerGenesisBlockHeight + view.soft,
    soft: blockJson(view.soft, view.block),
    ...(firm !== undefined && { firm: blockJson(view.firm, firm) }),
    ...(view.firmMeaning !== undefined && { firmMeaning: view.firmMeaning }),
    ...(layerHeight !== undefined && { firmLayerHeight: layerHeight }),
    lowestBlock: view.lowest,
    composer: composer ? 'connected' : 'unreachable',
    pending,
    ...status?.of(view.snapshot),
  };
}
