import { aborted, defer, errorLine, jsonRpcClient } from '@switchyard/service';
import type { StoreDamaged } from '@switchyard/storage';
import type { Application } from '../../app/types.ts';
import { type BlockFeed, type Engine, type EngineLog, promiseWithResolvers } from '../engine.ts';
import { type AbciAddress, formatAbciAddress } from './address.ts';
import { SignedHeaders } from './commits.ts';
import { answerFrame, encodeException, type Observer } from './handler.ts';
import { listenAbci } from './server.ts';
import { noStateSync, type StateSync } from './state-sync.ts';

export interface CometConfig {
  /** Existing directory for the signed headers. */
  readonly directory: string;
  readonly listen: AbciAddress;
  /** RPC of the CometBFT that is driven from here. */
  readonly rpcUrl: string;
}

export interface CometDeps {
  readonly log: EngineLog;
  /** None, if absent. */
  readonly stateSync?: StateSync;
  /** The signed headers on disk are damaged: the process should stop. */
  readonly onDamage?: (error: StoreDamaged) => void;
}

/** Waits to be driven by an external CometBFT. */
export function createCometEngine(config: CometConfig, deps: CometDeps): Engine {
  const { log, stateSync = noStateSync } = deps;
  const rpc = jsonRpcClient(config.rpcUrl);
  const early = new Set<(height: bigint) => void>();
  let headers: SignedHeaders | undefined;
  // `run` reports its failure too.
  const listening = promiseWithResolvers<{ readonly url: string }>();

  const commits: BlockFeed['commits'] = {
    at: (height) => headers?.at(height),
    encodedAt: (height) => headers?.encodedAt(height),
  };

  async function runOn(app: Application, signed: SignedHeaders, signal: AbortSignal): Promise<void> {
    const ending = new AbortController();
    let failure: { readonly error: unknown } | undefined;
    const fail = (error: unknown): void => {
      failure ??= { error };
      ending.abort(error);
    };
    const stop = (): void => ending.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    let decided = 0n;
    let isKnown = false;
    /** A failure such as a full disk is no reason to stop making blocks. */
    const takeSnapshot = (height: bigint): void => {
      try {
        stateSync.committed(height);
      } catch (error) {
        log.error({ height, error: errorLine(error) }, 'a snapshot of the state could not be taken');
      }
    };
    const observer: Observer = {
      asked(height, version) {
        // Each request for `abci_info` to CometBFT's RPC asks again, through it.
        if (!isKnown) log.info({ version, height }, 'ABCI handshake');
        isKnown = true;
        signed.committed(height);
      },
      initialized: () => signed.clear(),
      finalized(height, hash) {
        decided = height;
        signed.decided(height, hash);
      },
      committed(retainHeight) {
        const height = decided;
        signed.committed(height);
        signed.prune(retainHeight);
        // When CometBFT has its answer.
        defer(() => {
          if (!ending.signal.aborted) takeSnapshot(height);
        });
      },
    };
    const server = await listenAbci(config.listen, {
      answer: (frame) => answerFrame(frame, app, stateSync, observer),
      exception: encodeException,
      fail,
      log,
    });
    const following = signed.follow(ending.signal).catch((error: unknown) => {
      if (!ending.signal.aborted) fail(error);
    });
    try {
      listening.resolve({ url: server.url });
      log.info({ abci: server.url, rpc: config.rpcUrl }, 'waiting for CometBFT');
      await aborted(ending.signal);
    } finally {
      signal.removeEventListener('abort', stop);
      ending.abort();
      await server.close();
      await following;
    }
    if (failure !== undefined) throw failure.error;
  }

  return {
    commits,

    onBlock(listener) {
      if (headers !== undefined) return headers.onBlock(listener);
      early.add(listener);
      return () => void early.delete(listener);
    },

    listening: () => listening.promise,

    async run(app, signal) {
      if (headers !== undefined) throw new Error('a CometBFT engine runs once');
      const signed = new SignedHeaders(config.directory, {
        rpc,
        rpcUrl: config.rpcUrl,
        log,
        ...(deps.onDamage && { onDamage: deps.onDamage }),
      });
      headers = signed;
      signed.onBlock((height) => {
        for (const listener of early) listener(height);
      });
      // Headers from before the start can be served while CometBFT is away.
      if (signed.last > 0n && signed.last <= app.info().height) for (const listener of early) listener(signed.last);
      try {
        await runOn(app, signed, signal);
        listening.reject(new Error(`no longer listening on ${formatAbciAddress(config.listen)}`));
      } catch (error) {
        listening.reject(error);
        throw error;
      } finally {
        await signed.close();
      }
    },
  };
}
