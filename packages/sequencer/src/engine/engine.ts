/**
 * Contract of the component that orders blocks: it drives an {@link Application} and proves its decisions to others.
 *
 * The application imports nothing from here. The gRPC layer sees an engine only through {@link BlockFeed}.
 */

import type { SignedHeader, Signer, Timestamp } from '@switchyard/protocol';
import type { Access, Clock, Links, Listen } from '@switchyard/service';
import type { StoreDamaged } from '@switchyard/storage';
import type { Application, Genesis, PoolView } from '../app/types.ts';
import type { Pace } from './solo/pace.ts';

export interface Engine extends BlockFeed {
  /**
   * Drives `app` until `signal` aborts. Resolves once the last commit is on disk and everything the engine opened (RPC
   * listener, database) is closed. Rejects when the application throws: a node that cannot execute must stop.
   *
   * First calls `app.info()`: at height 0 `initChain`; below the engine's own last block, the missing blocks again through
   * `finalizeBlock` and `commit`; above it, the two databases do not belong together and it rejects with one clear line.
   */
  run(app: Application, signal: AbortSignal): Promise<void>;
  /**
   * Resolves once others can connect, with the address: of the RPC, or of ABCI. Rejects when `run` fails before that; optional to
   * await.
   */
  listening(): Promise<{ readonly url: string }>;
}

/** The part of an engine that the gRPC layer uses. */
export interface BlockFeed {
  readonly commits: Commits;

  /**
   * Calls `listener` once for each height, in order, after the application's commit and the engine's own record of
   * that height are on disk: from then on `commits.at(height)` answers. Listeners are called synchronously and must not throw.
   *
   * @returns a function that ends the subscription.
   */
  onBlock(listener: (height: bigint) => void): () => void;
}

/** Headers with the commit that more than two thirds of the validators signed for the same height. */
export interface Commits {
  at(height: bigint): SignedHeader | undefined;
  /** The encoded `tendermint.types.SignedHeader`, as stored: catching up reads thousands of these a second. */
  encodedAt(height: bigint): Uint8Array | undefined;
}

/** A CometBFT genesis file, read. `parseGenesisFile` in `genesis-file.ts` makes one. */
export interface GenesisFile {
  readonly genesis: Genesis;
  /** The document as the `genesis` RPC serves it. */
  readonly json: unknown;
}

/** Options of the solo engine; `createSoloEngine(config, deps)` in `solo/engine.ts` takes it. */
export interface SoloConfig extends Pace {
  /** Existing directory for the engine's own database. */
  readonly directory: string;
  readonly genesis: GenesisFile;
  readonly rpc: Listen;
  /** Access rules of the RPC: its callers, and the pages that may call. Loopback names and IP addresses, if absent. */
  readonly rpcAccess?: Access;
  /** Largest transaction the application takes: the RPC reads no larger bodies than such a one needs. 1 MiB if absent. */
  readonly maxTxBytes?: number;
  /** Bytes of stored blocks that are kept, if there is a limit. */
  readonly retainBytes?: number | undefined;
}

/** A solo engine, with the address of its RPC. */
export interface SoloEngine extends Engine {
  /** Resolves once the RPC answers, for instance if port 0 was requested. Rejects when `run` fails before that. */
  listening(): Promise<{ readonly port: number; readonly url: string }>;
  /** Height below which blocks have to go for the sake of `retainBytes`; 0 if none. */
  floor(): bigint;
}

/** Makes one block. Rejects when the engine ends before it is made. */
export type MakeBlock = () => Promise<void>;

export interface SoloDeps {
  /** The validator's key. `parseValidatorKey` in `validator-key.ts` reads a CometBFT `priv_validator_key.json`. */
  readonly signer: Signer;
  readonly pool: PoolView;
  /** Wall clock, for block times. */
  now(): Timestamp;
  /** Paces blocks; only differences of its `now()` count. The machine's monotonic clock, if absent. */
  readonly clock?: Clock;
  readonly log: EngineLog;
  /** Lets other parts of this process call the RPC without a connection. */
  readonly links?: Links | undefined;
  /** Stored blocks are damaged: the process should stop. */
  readonly onDamage?: (error: StoreDamaged) => void;
  /** Is given the function that makes a block. Present: only that one does, after the first block of a chain. */
  readonly offer?: ((makeBlock: MakeBlock) => void) | undefined;
}

/** The calls of a logger that an engine makes. */
export type EngineLog = Readonly<
  Record<'info' | 'warn' | 'error' | 'debug', (fields: Readonly<Record<string, unknown>>, sentence: string) => void>
>;

/** A promise, and the functions that settle it. Optional to await. */
export function promiseWithResolvers<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((accept, refuse) => {
    resolve = accept;
    reject = refuse;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
