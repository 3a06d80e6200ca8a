import { mkdirSync } from 'node:fs';
import { HaltWatch, readSigningKey, sequencerEndpoints } from '@switchyard/client';
import { createCelestiaWriter, type DaWriter, parseGasPrice } from '@switchyard/da';
import { type CelestiaSigner, createCelestiaSigner, formatCelestiaAddress } from '@switchyard/protocol/celestia';
import {
  grpcTransport,
  healthRoutes,
  ownListener,
  type ProcessContext,
  scrub,
  serveHttp,
  systemClock,
  systemRandom,
  wallClock,
} from '@switchyard/service';
import { StoreScrub } from '@switchyard/storage';
import { fields, type RelayerConfig } from './config.ts';
import { withPosted } from './posted-route.ts';
import { Progress } from './progress.ts';
import type { SequencerSource } from './reader.ts';
import { relay } from './relayer.ts';
import { openStateStore } from './store.ts';

/** Room for the largest transaction that the layer takes. */
const MAX_MESSAGE_BYTES = 16 * 1_048_576;
const DA_TIMEOUT_MS = 20_000;

/** Builds the parts and returns; the work continues in the background. */
export async function runRelayer(config: RelayerConfig, context: ProcessContext): Promise<void> {
  const { log, metrics, links, signal, defer, background, fail } = context;
  const signer = createCelestiaSigner(readSigningKey(fields, config, 'secp256k1', config.daGrpcEndpoint, log));
  const account = formatCelestiaAddress(signer.account);
  const nodes = { grpc: 'sequencerGrpcEndpoint', rpc: 'sequencerAbciEndpoint', fields, config } as const;
  const endpoints = sequencerEndpoints(nodes, context, (client): SequencerSource => client);
  const writer = openWriter(config, signer, context);
  mkdirSync(config.dbFilepath, { recursive: true });
  const store = openStateStore(config.dbFilepath, fail);
  defer(() => store.close());
  const progress = new Progress({ log, metrics, clock: systemClock, lowBalance: BigInt(config.lowBalance) });
  const halt = new HaltWatch(config.sequencerAbciEndpoint, { clock: systemClock, wall: wallClock, log, links });
  const api = await serveHttp({
    ...ownListener(fields, config, 'apiListenAddr', context),
    app: withPosted(
      store,
      config,
      healthRoutes({
        ready: () => ({ ok: progress.trouble === undefined, reason: progress.trouble, note: halt.note }),
        status: () => ({
          pid: process.pid,
          sequencerChainId: config.sequencerChainId,
          daChainId: config.daChainId,
          account,
          ...progress.status(),
          sequencerHalt: halt.reason,
          ...(endpoints.all.length > 1 && { sequencers: endpoints.status() }),
        }),
        metrics,
      }),
    ),
  });
  defer(() => api.close());
  log.info({ api: api.url, account }, 'relayer listening');
  background(scrub([new StoreScrub(config.dbFilepath, 'relayer-state')], config.scrubBytesPerSecond, context));
  background(halt.run(signal));
  background(
    relay(
      {
        sequencerChainId: config.sequencerChainId,
        daChainId: config.daChainId,
        startHeight: BigInt(config.startHeight),
        pollIntervalMs: config.sequencerBlockTimeMs,
        batchMs: config.batchMs,
        maxBatchBytes: config.maxBatchBytes,
        inFlight: config.inFlight,
        onlyRollups: new Set(config.onlyIncludeRollups),
      },
      { endpoints, writer, store, progress, log, clock: systemClock, wall: wallClock, random: systemRandom, signal },
    ),
  );
}

function openWriter(config: RelayerConfig, signer: CelestiaSigner, { log, defer, links }: ProcessContext): DaWriter {
  const maxGasPrice = parseGasPrice(config.maxGasPrice);
  if (maxGasPrice === undefined) throw new Error(`${config.maxGasPrice} is no price of gas`);
  const nodes = config.daGrpcEndpoint.map((url) => {
    const transport = grpcTransport(url, { maxMessageBytes: MAX_MESSAGE_BYTES, timeoutMs: DA_TIMEOUT_MS, links });
    defer(() => transport.close());
    return { url, transport };
  });
  const [first, ...others] = nodes;
  if (first === undefined) throw new Error(`${fields.daGrpcEndpoint.names[0]} names no node of the layer`);
  const { url, transport } = first;
  return createCelestiaWriter({ url, signer, maxGasPrice }, { transport, others, log });
}
