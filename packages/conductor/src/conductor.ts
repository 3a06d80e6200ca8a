import type { Endpoint } from '@switchyard/client';
import { DaUnavailable } from '@switchyard/da';
import type { Session } from '@switchyard/protocol';
import { errorLine, repeatedWarnings, retry, sleep } from '@switchyard/service';
import type { FirmLayer } from './firm/layer.ts';
import type { KnownInputs } from './input-chain.ts';
import { PEER_BACKOFF, readsSoft, sessionPauseMs } from './plan.ts';
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
  const endings = repeatedWarnings(log, {
    one: 'the rollup ended the session; opening a new one',
    several: 'the rollup ended sessions; opened new ones',
  });
  let warnedOfDigests = false;
  const withoutDigests = () => {
    if (warnedOfDigests) return;
    warnedOfDigests = true;
    log.warn('the rollup does not record what its blocks are made from; only hashes are compared');
  };
  for (let fruitless = 0; ; fruitless += 1) {
    await sleep(sessionPauseMs(fruitless, random), signal, clock);
    const opened = await rollup.openSession(options.commitLevel, signal);
    const sequencerChainId = readsSoft(options.commitLevel)
      ? await agreedChain(opened, options.expectedChainId, deps)
      : namedChain(opened, options.expectedChainId);
    if (deps.layer !== undefined) await checkLayer(opened, deps.layer, deps);
    const session = { ...opened, parameters: { ...opened.parameters, sequencerChainId } };
    const { parameters, commitments } = session;
    progress.opened(session);
    // A session after one in which nothing was executed is no news.
    log[fruitless === 0 ? 'info' : 'debug'](
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
      endings.add('session-ended', undefined, { reason: error.message });
    } finally {
      progress.closed();
    }
  }
}

/**
 * The rollup, the operator and the sequencer must mean the same chain. A rollup that names none follows
 * names of the others.
 */
async function agreedChain(
  { parameters: { sequencerChainId: named } }: Session,
  expected: string | undefined,
  { endpoints, sequencer, clock, random, signal }: ConductorDeps,
): Promise<string> {
  checkNamed(named, expected);
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

function checkNamed(named: string, expected: string | undefined): void {
  if (expected === undefined || named === '' || expected === named) return;
  throw new Error(
    `the rollup follows another chain than SVC_CONDUCTOR_EXPECTED_SEQUENCER_CHAIN_ID: expected ${expected}, got ${named}`,
  );
}

/** Without a sequencer, whose chain id it would be. */
function namedChain({ parameters: { sequencerChainId: named } }: Session, expected: string | undefined): string {
  checkNamed(named, expected);
  const chainId = named === '' ? expected : named;
  if (chainId !== undefined) return chainId;
  throw new Error('FirmOnly, and the rollup does not name its chain: set SVC_CONDUCTOR_EXPECTED_SEQUENCER_CHAIN_ID');
}

/** The rollup, the operator and the node must mean the same layer. */
async function checkLayer(
  { parameters: { celestiaChainId: named } }: Session,
  { reader, contact, expectedChainId: expected }: FirmLayer,
  { clock, random, signal }: ConductorDeps,
): Promise<void> {
  const got = await retry(() => reader.chainId(signal), {
    ...PEER_BACKOFF,
    ...{ signal, clock, random },
    retryIf: (error) => error instanceof DaUnavailable,
    onRetry: (error) => contact.lost(error),
  });
  const wanted = expected ?? (named === '' ? undefined : named);
  if (named !== '' && expected !== undefined && named !== expected)
    throw new Error(
      `the rollup follows another data-availability layer than SVC_CONDUCTOR_EXPECTED_CELESTIA_CHAIN_ID: expected ${expected}, got ${named}`,
    );
  if (wanted !== undefined && wanted !== got)
    throw new Error(`the chain id of the data-availability layer: expected ${wanted}, got ${got}`);
}

class WrongChain extends Error {
  override readonly name = 'WrongChain';
}
