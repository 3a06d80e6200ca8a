import { type Endpoints, sequencerEndpoints } from '@switchyard/client';
import {
  clientAuth,
  grpcTransport,
  healthRoutes,
  operatorAccess,
  type ProcessContext,
  serveHttp,
  systemClock,
  wallClock,
} from '@switchyard/service';
import { conduct } from './conductor.ts';
import { type ConductorConfig, fields, PREFIX } from './config.ts';
import { Contact } from './contact.ts';
import { Progress } from './progress.ts';
import { createRollup } from './rollup.ts';
import type { SequencerSource } from './source.ts';
import type { Checkpoint } from './trust.ts';

/** Room for a batch that ends with the biggest block there is. */
const MAX_MESSAGE_BYTES = 64 * 1_048_576;

/** Builds the parts and returns; the work continues in the background. */
export async function runConductor(config: ConductorConfig, context: ProcessContext): Promise<void> {
  const { log, metrics, signal, defer, background } = context;
  const sequencer = new Contact('sequencer', config.sequencerGrpcUrl.join(' or '), log);
  const execution = new Contact('rollup', config.executionRpcUrl, log, fields.executionSecretFile.names[0]);
  const progress = new Progress({
    log,
    metrics,
    clock: systemClock,
    wall: wallClock,
    commitLevel: config.executionCommitLevel,
  });

  const checkpoint = checkpointOf(config);
  const endpoints = connect(config, context);

  const api = await serveHttp({
    listen: config.apiListenAddr,
    access: operatorAccess(config, PREFIX),
    name: fields.apiListenAddr.names[0],
    app: healthRoutes({
      ready: () => {
        const trouble = execution.trouble ?? sequencer.trouble;
        if (trouble !== undefined) return { ok: false, reason: trouble };
        return progress.session === undefined ? { ok: false, reason: 'no execution session' } : { ok: true };
      },
      status: () => ({
        ...progress.status(),
        rollupTrouble: execution.trouble,
        sequencerTrouble: sequencer.trouble,
        ...(endpoints.all.length > 1 && { sequencers: endpoints.status() }),
      }),
      metrics,
    }),
    log,
  });
  defer(() => api.close());
  log.info({ api: api.url }, 'conductor listening');

  const credentials = clientAuth('execution', fields, config);
  const transport = grpcTransport(config.executionRpcUrl, { maxMessageBytes: MAX_MESSAGE_BYTES, credentials });
  defer(() => transport.close());

  const common = { clock: systemClock, random: Math.random };
  const rollup = createRollup({ transport, contact: execution, ...common });
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
      },
      { endpoints, rollup, sequencer, progress, log, signal, ...common },
    ),
  );
}

/** The nodes of the sequencer; the first one is used first. */
function connect(config: ConductorConfig, { log, defer }: ProcessContext): Endpoints<SequencerSource> {
  const urls = {
    grpcUrls: config.sequencerGrpcUrl,
    rpcUrls: config.sequencerCometbftUrl,
    names: [fields.sequencerGrpcUrl.names[0], fields.sequencerCometbftUrl.names[0]] as const,
    maxAnswerBytes: MAX_MESSAGE_BYTES,
  };
  return sequencerEndpoints(urls, { clock: systemClock, log, defer }, (client) => client);
}

function checkpointOf({ trustedHeight, trustedHash }: ConductorConfig): Checkpoint | undefined {
  if (trustedHeight === undefined && trustedHash === undefined) return undefined;
  if (trustedHeight !== undefined && trustedHash !== undefined)
    return { height: BigInt(trustedHeight), hash: trustedHash };
  throw new Error(
    `${fields.trustedHeight.names[0]} and ${fields.trustedHash.names[0]} go together: set both or neither`,
  );
}
