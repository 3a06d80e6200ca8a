import { sequencerClient } from '@switchyard/client';
import { grpcTransport, healthRoutes, type ProcessContext, serveHttp, systemClock } from '@switchyard/service';
import { conduct } from './conductor.ts';
import { type ConductorConfig, fields } from './config.ts';
import { Contact } from './contact.ts';
import { Progress } from './progress.ts';
import { createRollup } from './rollup.ts';

/** Room for a batch that ends with the biggest block there is. */
const MAX_MESSAGE_BYTES = 64 * 1_048_576;

/** Builds the parts and returns; the work goes on in the background. */
export async function runConductor(config: ConductorConfig, context: ProcessContext): Promise<void> {
  const { log, metrics, signal, defer, background } = context;
  const sequencer = new Contact('sequencer', config.sequencerGrpcUrl, log);
  const execution = new Contact('rollup', config.executionRpcUrl, log);
  const progress = new Progress({ log, metrics, now: systemClock.now, commitLevel: config.executionCommitLevel });

  const api = await serveHttp({
    listen: config.apiListenAddr,
    name: fields.apiListenAddr.names[0],
    app: healthRoutes({
      ready: () => {
        const trouble = execution.trouble ?? sequencer.trouble;
        if (trouble !== undefined) return { ok: false, reason: trouble };
        return progress.session === undefined ? { ok: false, reason: 'no execution session' } : { ok: true };
      },
      status: () => ({ ...progress.status(), rollupTrouble: execution.trouble, sequencerTrouble: sequencer.trouble }),
      metrics,
    }),
    log,
  });
  defer(() => api.close());
  log.info({ api: api.url }, 'conductor answers');

  const source = sequencerClient({
    rpcUrl: config.sequencerCometbftUrl,
    grpcUrl: config.sequencerGrpcUrl,
    maxAnswerBytes: MAX_MESSAGE_BYTES,
  });
  defer(() => source.close());
  const transport = grpcTransport(config.executionRpcUrl, { maxMessageBytes: MAX_MESSAGE_BYTES });
  defer(() => transport.close());

  const common = { clock: systemClock, random: Math.random };
  const rollup = createRollup({ transport, contact: execution, ...common });
  background(
    conduct(
      {
        commitLevel: config.executionCommitLevel,
        pollIntervalMs: config.sequencerBlockTimeMs,
        requestsPerSecond: config.sequencerRequestsPerSecond,
        expectedChainId: config.expectedSequencerChainId,
      },
      { source, rollup, sequencer, progress, log, signal, ...common },
    ),
  );
}
