import { compareTimestamps, decodeSignedHeader, timestampToMillis } from '@switchyard/protocol';
import { sleep, systemClock } from '@switchyard/service';
import type { Application } from '../../app/types.ts';
import { promiseWithResolvers, type SoloConfig, type SoloDeps, type SoloEngine } from '../engine.ts';
import { Chain } from './chain.ts';
import { drive } from './drive.ts';
import { driveOnDemand } from './drive-on-demand.ts';
import { handshake } from './handshake.ts';
import { produce } from './produce.ts';
import { startRpc } from './rpc/start.ts';
import { BlockStore } from './store/block-store.ts';
import { lockDirectory } from './store/lock.ts';

type Listening = Awaited<ReturnType<SoloEngine['listening']>>;

/** One process, one validator, CometBFT's formats: the engine of a local network. */
export function createSoloEngine(config: SoloConfig, deps: SoloDeps): SoloEngine {
  const { signer, pool, log, clock = systemClock } = deps;
  const { genesis } = config.genesis;
  const listeners = new Set<(height: bigint) => void>();
  // `run` reports its failure too.
  const listening = promiseWithResolvers<Listening>();
  let chain: Chain | undefined;
  let started = false;

  function encodedAt(height: bigint): Uint8Array | undefined {
    return chain?.signedHeader(height);
  }

  async function runIn(directory: string, app: Application, signal: AbortSignal): Promise<void> {
    const unlock = lockDirectory(directory);
    try {
      const store = new BlockStore(directory, { onDamage: deps.onDamage });
      try {
        if (!signal.aborted) await runOn(store, app, signal);
      } finally {
        chain = undefined;
        await store.close();
      }
    } finally {
      unlock();
    }
  }

  async function runOn(store: BlockStore, app: Application, signal: AbortSignal): Promise<void> {
    const state = await handshake({ app, store, genesis, signer, signal, log });
    if (state === undefined) return;
    const seen = new Chain(store, config.genesis, state);
    chain = seen;
    const ready = promiseWithResolvers<void>();
    const rpc = await startRpc({
      chain: seen,
      app,
      pool,
      signer,
      clock,
      log,
      listen: config.rpc,
      ...(config.rpcAccess === undefined ? {} : { access: config.rpcAccess }),
      links: deps.links,
      maxTxBytes: config.maxTxBytes,
      ready: ready.promise,
    });
    // Clients do not expect a chain without blocks, so on a new one they wait the moment until the first.
    if (seen.height > 0n || compareTimestamps(deps.now(), genesis.time) < 0) ready.resolve();
    async function make(): Promise<void> {
      const produced = await produce({ app, store, signer, pool, chainId: genesis.chainId, now: deps.now }, seen.state);
      seen.publish(produced);
      store.prune(produced.retainHeight);
      log.debug({ height: seen.height, txs: produced.made.txHashes.length }, 'block committed');
      for (const listener of listeners) listener(seen.height);
      rpc.publish(produced);
      ready.resolve();
    }
    /** Clients wait for the first block, so it is made without a request. */
    async function makeFirst(): Promise<void> {
      if (seen.height > 0n) return;
      await genesisTime(signal);
      if (!signal.aborted) await make();
    }
    try {
      const { offer } = deps;
      // Every client of the RPC may ask for a block.
      const driven = offer && driveOnDemand({ offer, signal, first: makeFirst(), make });
      listening.resolve({ port: rpc.port, url: rpc.url });
      log.info({ height: seen.height, chain: genesis.chainId, rpc: rpc.url }, 'solo engine produces blocks');
      if (driven !== undefined) return await driven;
      if (seen.height === 0n) await genesisTime(signal);
      await drive({ pace: config, clock, pool, signal, make });
    } finally {
      ready.resolve();
      await rpc.close();
    }
  }

  /** The first block must not be older than the genesis time. */
  async function genesisTime(signal: AbortSignal): Promise<void> {
    for (let logged = false; compareTimestamps(deps.now(), genesis.time) < 0 && !signal.aborted; logged = true) {
      if (!logged) log.info({ seconds: genesis.time.seconds }, 'genesis time is in the future, waiting for it');
      const left = timestampToMillis(genesis.time) - timestampToMillis(deps.now());
      // It rejects when the engine is to stop, which the loop sees.
      await sleep(Math.min(Math.max(left, 1), 10_000), signal, clock).catch(() => undefined);
    }
  }

  return {
    commits: {
      encodedAt,
      at(height) {
        const encoded = encodedAt(height);
        return encoded === undefined ? undefined : decodeSignedHeader(encoded);
      },
    },

    onBlock(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },

    listening: () => listening.promise,

    floor() {
      const { retainBytes } = config;
      return retainBytes === undefined || chain === undefined ? 0n : chain.store.floorFor(retainBytes);
    },

    async run(app, signal) {
      if (started) throw new Error('a solo engine runs once');
      started = true;
      try {
        await runIn(config.directory, app, signal);
        listening.reject(new Error('the engine has stopped'));
      } catch (error) {
        listening.reject(error);
        throw error;
      }
    },
  };
}
