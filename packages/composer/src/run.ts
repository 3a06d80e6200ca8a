import { mkdirSync } from 'node:fs';
import { HaltWatch, readSigningKey, type SequencerClient, sequencerEndpoints } from '@switchyard/client';
import { createSigner, formatAddress } from '@switchyard/protocol';
import {
  healthRoutes,
  logPeers,
  ownListener,
  type ProcessContext,
  scrub,
  serveGrpc,
  serveHttp,
  serverAuth,
  systemClock,
  systemRandom,
  wallClock,
} from '@switchyard/service';
import { StoreScrub } from '@switchyard/storage';
import { longestItem } from './bundles/bundle.ts';
import { createComposer, observe } from './composer.ts';
import { type ComposerProcessConfig, fields } from './config.ts';
import type { FollowerDeps } from './evm/follower.ts';
import { collectorRoutes, SERVICES } from './intake/grpc.ts';
import { withRecent } from './intake/recent-route.ts';
import { createJournal } from './queue/journal.ts';
import { openLmdbRecords } from './queue/lmdb-records.ts';
import { severalSequencers } from './sequencer/failover.ts';
import { remoteSequencer, type SequencerNode } from './sequencer/sequencer.ts';
import { type BlockSource, SequencerBlocks } from './sequencer/sequencer-blocks.ts';

const MAX_IN_FLIGHT = 32;
/** For requests that ask for it if the composer is set not to deduplicate on its own. */
const ASKED_WINDOW_MS = 3_600_000;
/** A batch may fill several bundles. */
const MAX_MESSAGE_BYTES = 16 * 1_048_576;

/** Builds a composer from its parts and runs it until the signal aborts. */
export async function runComposer(config: ComposerProcessConfig, context: ProcessContext): Promise<void> {
  const { log, metrics, signal, defer, background, fail } = context;
  const signer = createSigner(readSigningKey(fields, config, 'ed25519', config.sequencerAbciEndpoint, log));
  const { feeAsset } = config;
  const payer = {
    signer,
    address: formatAddress(signer.account, config.sequencerAddressPrefix),
    chainId: config.sequencerChainId,
    feeAsset,
    prefix: config.sequencerAddressPrefix,
  };
  const maxItemBytes = longestItem(config.maxBytesPerBundle, payer);
  if (maxItemBytes < 1) {
    throw new Error(
      `a bundle of ${config.maxBytesPerBundle} bytes has no room for a submission; raise ${fields.maxBytesPerBundle.names[0]}`,
    );
  }
  const nodes = connect(config, context, (client) =>
    toNode(client, remoteSequencer(client, signer, feeAsset, config.sequencerAddressPrefix)),
  );
  const source = () => nodes.endpoints.current.client;
  const blocks = new SequencerBlocks({ source, log: log.child({ component: 'blocks' }) });
  mkdirSync(config.dbFilepath, { recursive: true });
  const journal = createJournal(openLmdbRecords(config.dbFilepath, fail));
  defer(() => journal.close());

  const parts = await createComposer(
    {
      maxBytesPerBundle: config.maxBytesPerBundle,
      intervalMs: config.maxSubmitIntervalMs,
      maxInFlight: MAX_IN_FLIGHT,
      maxItems: config.bundleQueueCapacity,
      maxBytes: config.maxQueueBytes,
      maxItemBytes,
      maxFeesPerHour: config.maxFeesPerHour,
      keptOutcomes: config.keptOutcomes,
      copiesWindowMs: 1_000 * config.deduplicationSeconds || ASKED_WINDOW_MS,
    },
    {
      journal,
      sequencer: nodes.sequencer,
      payer,
      log,
      onFailure: fail,
    },
  );
  const { backlog, intake, recent, submitter } = parts;
  if (backlog.count > 0) log.info({ submissions: backlog.count, bytes: backlog.bytes }, 'queue restored');
  observe(metrics, parts);
  const followers = await getFollowers(config, {
    ...parts,
    log,
    clock: systemClock,
    random: systemRandom,
  });
  followers?.observe(metrics);

  const auth = serverAuth('grpc', fields, config);
  const grpc = await serveGrpc({
    ...ownListener(fields, config, 'grpcAddr', context),
    auth,
    services: SERVICES,
    routes: (router) => collectorRoutes(router, { ...parts, blocks, deduplicates: config.deduplicationSeconds > 0 }),
    maxMessageBytes: MAX_MESSAGE_BYTES,
  });
  defer(() => grpc.close());
  logPeers(config.grpcAddr, auth, log);
  const deps = { clock: systemClock, wall: wallClock, log, links: context.links };
  const halt = new HaltWatch(config.sequencerAbciEndpoint, deps);
  const http = await serveHttp({
    ...ownListener(fields, config, 'apiListenAddr', context),
    app: withRecent(
      recent,
      healthRoutes({
        ready() {
          const { trouble } = submitter.status();
          const reason = trouble ?? intake.obstacle;
          return { ok: reason === undefined, reason, note: halt.note };
        },
        status: () => ({
          pid: process.pid,
          account: payer.address,
          chainId: payer.chainId,
          feeAsset: feeAsset.text,
          ...submitter.status(),
          sequencerHalt: halt.reason,
          ...(nodes.endpoints.all.length > 1 && { sequencers: nodes.endpoints.status() }),
          queuedItems: backlog.count,
          queuedBytes: backlog.bytes,
          accepted: intake.accepted,
          ...(followers && { rollups: followers.status() }),
        }),
        metrics,
      }),
    ),
  });
  defer(() => http.close());
  log.info({ grpc: grpc.url, http: http.url, account: payer.address }, 'accepting submissions');
  background(scrub([new StoreScrub(config.dbFilepath, 'composer-queue')], config.scrubBytesPerSecond, context));
  background(submitter.run(signal));
  background(halt.run(signal));
  if (followers !== undefined) background(followers.run(signal));
  if (nodes.watch !== undefined) background(nodes.watch(signal));
}

/** Follows outside nodes if there are any; the code for that is not loaded otherwise. */
async function getFollowers({ rollups }: ComposerProcessConfig, deps: FollowerDeps) {
  if (rollups.length === 0) return undefined;
  const { createFollowers } = await import('./evm/followers.ts');
  return createFollowers(rollups, deps);
}

function toNode(client: SequencerClient, node: SequencerNode): SequencerNode & BlockSource {
  return {
    ...node,
    async rollupEntries(height, rollup, signal) {
      const { rollups } = await client.filteredBlock(height, rollup, signal);
      return rollups.find((each) => each.rollup === rollup)?.transactions ?? [];
    },
  };
}

/** The sequencer behind one node, or behind several as if they were one. */
function connect(
  config: ComposerProcessConfig,
  context: ProcessContext,
  getNode: (client: SequencerClient) => SequencerNode & BlockSource,
) {
  const settings = { grpc: 'sequencerGrpcEndpoint', rpc: 'sequencerAbciEndpoint', fields, config } as const;
  const endpoints = sequencerEndpoints(settings, context, getNode);
  if (endpoints.all.length === 1) return { endpoints, sequencer: endpoints.current.client, watch: undefined };
  const several = severalSequencers(endpoints, { chainId: config.sequencerChainId, clock: systemClock });
  return { endpoints, sequencer: several, watch: several.watch };
}
