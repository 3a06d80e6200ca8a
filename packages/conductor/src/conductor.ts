import type { Endpoint } from '@switchyard/client';
import type { Session } from '@switchyard/protocol';
import { errorLine, retry, sleep } from '@switchyard/service';
import type { KnownInputs } from './input-chain.ts';
import { PEER_BACKOFF, sessionPauseMs } from './plan.ts';
import { SessionEnded } from './rollup.ts';
import { runSession, type SessionDeps, type SessionOptions } from './session.ts';
import type { SequencerSource } from './source.ts';

export interface ConductorOptions extends SessionOptions {
  readonly expectedChainId: string | undefined;
}

export type ConductorDeps = Omit<SessionDeps, 'advanced' | 'known' | 'withoutDigests'>;

/**
 * Drives a rollup, session after session, until the signal aborts.
 *
 * @throws {Error} with one line, when a person has to look: another chain, blocks that do not verify, a rollup that
 * refuses or breaks its contract.
 */
export async function conduct(options: ConductorOptions, deps: ConductorDeps): Promise<never> {
  const { rollup, progress, log, clock, random, signal } = deps;
  let known: KnownInputs | undefined;
  let warnedOfDigests = false;
  const withoutDigests = () => {
    if (warnedOfDigests) return;
    warnedOfDigests = true;
    log.warn('the rollup does not record what its blocks are made from; only hashes are compared');
  };
  for (let fruitless = 0; ; fruitless += 1) {
    await sleep(sessionPauseMs(fruitless, random), signal, clock);
    const opened = await rollup.openSession(signal);
    const sequencerChainId = await agreedChain(opened, options.expectedChainId, deps);
    const session = { ...opened, parameters: { ...opened.parameters, sequencerChainId } };
    const { parameters, commitments } = session;
    progress.opened(session);
    log.info(
      {
        rollup: parameters.rollup,
        chain: parameters.sequencerChainId,
        soft: commitments.soft.number,
        firm: commitments.firm.number,
      },
      'execution session opened',
    );
    const advanced = (now: KnownInputs | undefined) => {
      fruitless = -1;
      known = now;
    };
    try {
      await runSession(session, options, { ...deps, known, advanced, withoutDigests });
      log.info({ end: parameters.rollupEndNumber }, 'the session has all its blocks; opening the next one');
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof SessionEnded)) throw error;
      log.warn({ reason: error.message }, 'the rollup ended the session; opening a new one');
    } finally {
      progress.closed();
    }
  }
}

/**
 * The rollup, the operator and the sequencer must mean the same chain. A rollup that names none follows whatever the
 * others say.
 */
async function agreedChain(
  { parameters: { sequencerChainId: named } }: Session,
  expected: string | undefined,
  { endpoints, sequencer, clock, random, signal }: ConductorDeps,
): Promise<string> {
  if (expected !== undefined && named !== '' && expected !== named) {
    throw new Error(
      `the rollup follows another chain than SVC_CONDUCTOR_EXPECTED_SEQUENCER_CHAIN_ID: expected ${expected}, got ${named}`,
    );
  }
  const [by, wanted] = named === '' ? ['SVC_CONDUCTOR_EXPECTED_SEQUENCER_CHAIN_ID', expected] : ['the rollup', named];
  const strangers = new Set<Endpoint<SequencerSource>>();
  return retry(
    async () => {
      const endpoint = endpoints.current;
      const chainId = await endpoint.client.genesisChainId(signal).catch((error: unknown) => {
        endpoints.reportFailure(endpoint, errorLine(error));
        throw error;
      });
      if (wanted === undefined || chainId === wanted) return chainId;
      const problem = `the sequencer's chain id does not match ${by}: expected ${wanted}, got ${chainId}`;
      if (strangers.add(endpoint).size === endpoints.all.length) throw new WrongChain(problem);
      endpoints.reportFault(endpoint, problem);
      throw new Error(problem);
    },
    {
      ...PEER_BACKOFF,
      signal,
      clock,
      random,
      retryIf: (error) => !(error instanceof WrongChain),
      onRetry: (error) => sequencer.lost(error),
    },
  );
}

class WrongChain extends Error {
  override readonly name = 'WrongChain';
}
