import { type Checkpoint, HaltWatch, sequencerEndpoints } from '@switchyard/client';
import type { DaReader } from '@switchyard/da';
import { Rejected, toHex } from '@switchyard/protocol';
import { celestiaAccountBytes, parseCelestiaAddress } from '@switchyard/protocol/celestia';
import {
  clientAuth,
  grpcTransport,
  healthRoutes,
  InvalidConfig,
  isLoopbackHost,
  outside,
  ownListener,
  type ProcessContext,
  serveHttp,
  systemClock,
  systemRandom,
  wallClock,
} from '@switchyard/service';
import { conduct } from './conductor.ts';
import { type ConductorConfig, fields } from './config.ts';
import { Contact } from './contact.ts';
import type { FirmLayer } from './firm/layer.ts';
import { readsFirm, readsSoft } from './plan.ts';
import { Progress } from './progress.ts';
import { createRollup } from './rollup.ts';
import type { SequencerSource } from './source.ts';

/** Room for a batch that ends with the biggest block there is. */
const MAX_MESSAGE_BYTES = 64 * 1_048_576;

/** Builds the parts and returns; the work continues in the background. */
export async function runConductor(config: ConductorConfig, context: ProcessContext): Promise<void> {
  const { log, metrics, links, signal, defer, background } = context;
  const sequencer = new Contact('sequencer', config.sequencerGrpcUrl.join(' or '), log);
  const execution = new Contact('rollup', config.executionRpcUrl, log, fields.executionSecretFile.names[0]);
  const progress = new Progress({
    log,
    metrics,
    clock: systemClock,
    wall: wallClock,
    commitLevel: config.executionCommitLevel,
  });

  const checkpoint = findTrusted(config, ['trustedHeight', 'trustedHash']);
  const layer = findLayer(config, context);
  const nodes = { grpc: 'sequencerGrpcUrl', rpc: 'sequencerCometbftUrl', fields, config } as const;
  const sources = { ...nodes, maxAnswerBytes: MAX_MESSAGE_BYTES };
  const endpoints = sequencerEndpoints(sources, context, (client): SequencerSource => client);
  const common = { clock: systemClock, random: systemRandom };
  const rpcs = readsSoft(config.executionCommitLevel) ? config.sequencerCometbftUrl : [];
  const halt = new HaltWatch(rpcs, { ...common, wall: wallClock, log, links });

  const api = await serveHttp({
    ...ownListener(fields, config, 'apiListenAddr', context),
    app: healthRoutes({
      ready: () => {
        const troubles = [
          execution.trouble,
          ...(readsSoft(config.executionCommitLevel) ? [sequencer.trouble] : []),
          layer?.contact.trouble,
          progress.softWaits,
        ];
        const trouble = troubles.find((each) => each !== undefined);
        const note = halt.note ?? progress.unprovenBlobs;
        if (trouble !== undefined) return { ok: false, reason: trouble, note };
        return progress.session === undefined
          ? { ok: false, reason: 'no execution session', note }
          : { ok: true, note };
      },
      status: () => ({
        ...progress.status(),
        rollupTrouble: execution.trouble,
        sequencerTrouble: sequencer.trouble,
        sequencerHalt: halt.reason,
        layerTrouble: layer?.contact.trouble,
        ...(endpoints.all.length > 1 && { sequencers: endpoints.status() }),
      }),
      metrics,
    }),
  });
  defer(() => api.close());
  log.info({ api: api.url }, 'conductor listening');
  await context.sendToParent?.({ api: api.url });

  const credentials = clientAuth('execution', fields, config);
  const transport = grpcTransport(config.executionRpcUrl, {
    maxMessageBytes: MAX_MESSAGE_BYTES,
    credentials,
    links,
  });
  defer(() => transport.close());

  const rollup = createRollup({ transport, contact: execution, ...common });
  background(halt.run(signal));
  background(
    conduct(
      {
        commitLevel: config.executionCommitLevel,
        pollIntervalMs: config.sequencerBlockTimeMs,
        requestsPerSecond: config.sequencerRequestsPerSecond,
        checkpoint,
        trustingPeriodMs: config.trustingPeriodHours * 3_600_000,
        expectedChainId: config.expectedSequencerChainId,
        checkedBlocks: config.checkedBlocks,
        lookAhead: config.celestiaLookAhead === undefined ? undefined : BigInt(config.celestiaLookAhead),
      },
      { endpoints, rollup, sequencer, layer, progress, log, signal, ...common },
    ),
  );
}

/** The layer that firm blocks are read from; undefined if the level needs none. */
function findLayer(config: ConductorConfig, { log, links }: ProcessContext): FirmLayer | undefined {
  if (!readsFirm(config.executionCommitLevel)) return undefined;
  const { celestiaNodeHttpUrl: url, celestiaArchive: archive, expectedCelestiaChainId: expectedChainId } = config;
  const { celestiaTokenFile } = config;
  const needs = (...settings: readonly (keyof typeof fields)[]) =>
    new Error(
      `${config.executionCommitLevel} reads from a data-availability layer: set ${settings.map((key) => fields[key].names[0]).join(', ')}`,
    );
  if (url === undefined && archive === undefined) throw needs('celestiaNodeHttpUrl');
  const node =
    url === undefined
      ? undefined
      : {
          url,
          links,
          ...(celestiaTokenFile === undefined
            ? {}
            : { token: { file: celestiaTokenFile, setting: fields.celestiaTokenFile.names[0] } }),
        };
  const trusted = findTrusted(config, ['celestiaTrustedHeight', 'celestiaTrustedHash']);
  // Only the local layer begins again with each instance, so that its first block cannot stand in a file.
  if (trusted === undefined && (url === undefined || !isLoopbackHost(new URL(url).hostname)))
    throw needs('celestiaTrustedHeight', 'celestiaTrustedHash');
  if (trusted !== undefined && expectedChainId === undefined) throw needs('expectedCelestiaChainId');
  if (config.celestiaAuthors.length === 0)
    log.warn(
      { setting: fields.celestiaAuthors.names[0] },
      "blobs of every account of the layer are read, which costs time and memory; set the accounts of the network's relayers",
    );
  return {
    reader: openedLater(async (signal) => {
      const { createArchiveReader, createCelestiaReader, getFirstBlock } = await outside(import('@switchyard/da'));
      const trust = async () => {
        if (trusted !== undefined && expectedChainId !== undefined)
          return { root: { ...trusted, chainId: expectedChainId } };
        if (node === undefined) throw needs('celestiaTrustedHeight', 'celestiaTrustedHash');
        const first = await getFirstBlock(node, signal);
        const hash = toHex(first.root.hash);
        log.warn({ url, hash }, 'the layer is on this machine, and believed about its first block');
        return first;
      };
      const options = { ...(await trust()), headerFile: config.celestiaHeaderFilepath };
      if (archive !== undefined) {
        const { celestiaArchiveS3Endpoint: endpoint, celestiaArchiveS3Region: region } = config;
        return createArchiveReader({ ...options, archive: { at: archive, endpoint, region }, node }, { log });
      }
      if (node === undefined) throw needs('celestiaNodeHttpUrl');
      return createCelestiaReader({ ...options, ...node }, { log });
    }),
    contact: new Contact('data-availability layer', url ?? archive ?? '', log),
    authors: config.celestiaAuthors.map(getAuthor),
    pollIntervalMs: config.celestiaBlockTimeMs,
    expectedChainId,
  };
}

/** 20 bytes. @throws {InvalidConfig} */
function getAuthor(address: string): Uint8Array {
  try {
    return celestiaAccountBytes(parseCelestiaAddress(address));
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    const [variable] = fields.celestiaAuthors.names;
    throw new InvalidConfig({
      variable,
      expected: 'addresses celestia1...',
      got: address,
      advice: 'give those of the relayers',
    });
  }
}

/** Opened at its first use, again if that fails. */
function openedLater(open: (signal: AbortSignal) => Promise<DaReader>): DaReader {
  let opened: DaReader | undefined;
  const reader = async (signal: AbortSignal) => {
    opened ??= await open(signal);
    return opened;
  };
  return {
    chainId: async (signal) => (await reader(signal)).chainId(signal),
    head: async (signal) => (await reader(signal)).head(signal),
    async waitFor(height, signal) {
      const { waitFor } = await reader(signal);
      if (waitFor === undefined) throw new Error('the node cannot wait');
      await waitFor(height, signal);
    },
    read: async (height, namespaces, signal) => (await reader(signal)).read(height, namespaces, signal),
  };
}

/** A trusted block, which the settings state whole or not at all. */
function findTrusted(
  config: ConductorConfig,
  [height, hash]: readonly ['trustedHeight', 'trustedHash'] | readonly ['celestiaTrustedHeight', 'celestiaTrustedHash'],
): Checkpoint | undefined {
  const [at, blockHash] = [config[height], config[hash]];
  if (at === undefined && blockHash === undefined) return undefined;
  if (at !== undefined && blockHash !== undefined) return { height: BigInt(at), hash: blockHash };
  throw new Error(`${fields[height].names[0]} and ${fields[hash].names[0]} go together: set both or neither`);
}
