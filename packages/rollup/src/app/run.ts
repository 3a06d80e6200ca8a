import type { Store } from '@switchyard/machine';
import { type Clock, type ProcessContext, serveGrpc, serveHttp, systemClock } from '@switchyard/service';
import { ExecutionHost } from '../execution/host.ts';
import { executionServices } from '../execution/services.ts';
import { RollupChain } from './chain.ts';
import type { Collector } from './collector.ts';
import type { RollupConfig } from './config.ts';
import type { RollupAction, RollupDefinition } from './definition.ts';
import { Door } from './door.ts';
import { FateQueries } from './fate-queries.ts';
import { Forwarder } from './forwarder.ts';
import { frontDoor } from './http/app.ts';
import { MAX_BATCH_BYTES } from './http/batch-body.ts';
import { blockJson } from './http/blocks.ts';
import type { RollupNode } from './node.ts';
import { observeChain } from './node-metrics.ts';
import { PendingTransactions } from './pending.ts';
import { RateLimit } from './rate-limit.ts';
import { sweepPending } from './sweep.ts';
import { blocks } from './tables.ts';
import { VerifiedTransactions } from './verified.ts';

/** What a rollup node is wired to. */
export interface RollupDeps {
  readonly store: Store;
  readonly collector: Collector;
  readonly clock?: Clock;
}

export interface RunningRollup {
  readonly http: { readonly url: string; readonly port: number };
  readonly execution: { readonly url: string; readonly port: number };
}

const ANSWER_WITHIN_MS = 15_000;
const MAX_EXECUTION_MESSAGE = 64 * 1_048_576;

/** Starts a rollup node: both listeners answer when this resolves, whoever else is there. It stops with `signal`. */
export async function runRollup<A extends RollupAction, E>(
  definition: RollupDefinition<A, E>,
  config: RollupConfig,
  { store, collector, clock = systemClock }: RollupDeps,
  context: Pick<ProcessContext, 'log' | 'signal' | 'metrics' | 'defer' | 'background'>,
): Promise<RunningRollup> {
  const { log, signal, metrics } = context;
  const { genesis } = definition;
  const { sequencerGenesisBlockHeight } = genesis;
  const verified = new VerifiedTransactions();
  const pending = new PendingTransactions();
  const chain = await RollupChain.open(definition, store, verified);
  observeChain(metrics, chain, pending);

  const forwarder: Forwarder = new Forwarder(
    { maxItems: 65_536, maxBytes: 16 * 1_048_576 },
    { collector, log: log.child({ component: 'forwarder' }), clock, onFound: (held) => door.restore(held) },
  );
  const door = new Door({ definition, chain, forwarder, pending, verified, clock });
  const fates = new FateQueries({ chain, pending, collector, sequencerGenesisBlockHeight, clock });

  const host = new ExecutionHost(chain, { log: log.child({ component: 'execution' }), clock });
  const execution = await serveGrpc({
    listen: config.executionGrpcAddr,
    name: 'EXECUTION_GRPC_ADDR',
    ...executionServices(host),
    log,
    maxMessageBytes: MAX_EXECUTION_MESSAGE,
  });
  context.defer(() => execution.close());

  const node: RollupNode<E> = {
    genesis,
    signal,
    get view() {
      return chain.view;
    },
    nextNonce: (account) => door.nextNonce(account),
    committedNonce: (account) => door.committedNonce(account),
    submit: (bytes) => door.submit(bytes),
    onCommit: (listener) => chain.onCommit(listener),
  };
  const health = {
    ready: () => (forwarder.ready ? { ok: true } : { ok: false, reason: 'the composer is not reachable' }),
    status: () => nodeStatus(definition, node, { pending: pending.size, composer: forwarder.ready }),
    metrics,
  };
  const rate = new RateLimit({
    perSecond: config.maxRequestsPerSecond,
    burst: 2 * config.maxRequestsPerSecond,
    maxClients: 10_000,
  });
  const http = await serveHttp({
    listen: config.restAddr,
    name: 'REST_ADDR',
    app: frontDoor({ definition, node, door, fates, health, rate, log, signal, answerWithinMs: ANSWER_WITHIN_MS }),
    log,
    maxBodyBytes: MAX_BATCH_BYTES,
    maxConnections: config.maxConnections,
  });
  context.defer(() => http.close());
  log.info(
    { http: http.url, execution: execution.url, rollup: genesis.rollupName, block: chain.view.soft },
    'rollup node answers',
  );

  context.background(forwarder.run(signal));

  context.background(
    sweepPending(
      {
        chain,
        pending,
        collector,
        sequencerGenesisBlockHeight,
        isUnderWay: (hash) => door.isUnderWay(hash),
        clock,
        log,
      },
      signal,
    ),
  );
  logBlocks(chain, context);
  return { http, execution };
}

/** One line for blocks that hold something, none for empty ones. */
function logBlocks<A extends RollupAction, E>(chain: RollupChain<A, E>, { log }: Pick<ProcessContext, 'log'>): void {
  chain.onCommit((view, committed) => {
    const transactions = committed.reduce((sum, { receipts }) => sum + receipts.length, 0);
    if (transactions === 0) return;
    log.debug({ block: view.soft, blocks: committed.length, transactions }, 'blocks committed');
  });
}

function nodeStatus<A extends RollupAction, E>(
  { genesis, status }: RollupDefinition<A, E>,
  { view }: RollupNode<E>,
  { pending, composer }: { readonly pending: number; readonly composer: boolean },
) {
  const firm = blocks.get(view.snapshot, view.firm);
  return {
    rollup: genesis.rollupName,
    rollupId: genesis.rollup,
    chainId: genesis.chainId,
    sequencerChainId: genesis.sequencerChainId,
    sequencerGenesisBlockHeight: genesis.sequencerGenesisBlockHeight,
    sequencerHeight: genesis.sequencerGenesisBlockHeight + view.soft,
    soft: blockJson(view.soft, view.block),
    firm: firm && blockJson(view.firm, firm),
    composer: composer ? 'connected' : 'unreachable',
    pending,
    ...status?.(view.snapshot),
  };
}
