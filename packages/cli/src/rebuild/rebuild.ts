/** Makes the state of a rollup again from what is posted: the rollup and a conductor, started for this alone. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { executionClient } from '@switchyard/client';
import { isS3Url } from '@switchyard/service/settings';
import { BUILTINS } from '../dev/services/builtin.ts';
import { httpGet } from '../dev/supervisor/http-get.ts';
import { Failure } from '../failure.ts';
import type { Anchor } from './anchor.ts';
import { awsVariables } from './archive-place.ts';
import { type Child, startChild } from './child.ts';
import { type RebuildStatus, readStatus, stepOf } from './step.ts';

export interface RebuildOptions {
  readonly kind: 'messenger' | 'evm';
  readonly genesis: string;
  /** Where the state is made; absent, or empty. */
  readonly into: string;
  /** A block of the sequencer that is known to be right: the one that the first rollup block is made from, or an earlier one. */
  readonly anchor: Anchor;
  /** Settings of the conductor that say where the layer is, and what of it is trusted. */
  readonly layer: Readonly<Record<string, string>>;
  /** Where the genesis does not name it. */
  readonly sequencerChainId?: string | undefined;
}

export interface RebuildDeps {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  progress(status: RebuildStatus): void;
}

/** The last block that was posted, and what was made from it. */
export interface Rebuilt {
  readonly sequencerHeight: bigint;
  readonly layerHeight: bigint;
  readonly time: string;
  readonly number: bigint;
  readonly hash: string;
}

const LOOK_EVERY_MS = 200;
const END_MS = 5_000;

/** @throws {Failure} where the target is not empty, or a process ends; what was made until then stays. */
export async function rebuild(options: RebuildOptions, { env, signal, progress }: RebuildDeps): Promise<Rebuilt> {
  const { into, anchor } = options;
  requireEmpty(into);
  return withRollup(options, env, async (execution, rollup) => {
    const conductor = startChild(
      'conductor',
      BUILTINS.conductor.entry,
      {
        ...options.layer,
        ...(isS3Url(options.layer.SVC_CONDUCTOR_CELESTIA_ARCHIVE ?? '') && awsVariables(env)),
        SVC_CONDUCTOR_EXECUTION_RPC_URL: execution,
        SVC_CONDUCTOR_EXECUTION_COMMIT_LEVEL: 'FirmOnly',
        SVC_CONDUCTOR_TRUSTED_HEIGHT: String(anchor.height),
        SVC_CONDUCTOR_TRUSTED_HASH: anchor.hash,
        SVC_CONDUCTOR_API_LISTEN_ADDR: '127.0.0.1:0',
        SVC_CONDUCTOR_NO_METRICS: 'true',
      },
      env,
    );
    try {
      const api = await conductor.logged('api');
      const ended = Promise.race([conductor.ended, rollup.ended, aborted(signal)]);
      // Of a conductor that ends, no answer is noticed before its end is, which has the reason.
      const orEnd = async (error: unknown) => {
        await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, END_MS))]);
        throw error;
      };
      const last = await Promise.race([ended, untilDone(api, signal, progress).catch(orEnd)]);
      const client = executionClient(execution);
      try {
        const { hash } = await client.block(last.number);
        return { ...last, hash };
      } finally {
        client.close();
      }
    } finally {
      await conductor.stop();
    }
  });
}

/**
 * A rollup on a database, without composer and without listeners that another process could find by chance.
 *
 * @param work Gets the URL of its Execution API.
 */
export async function withRollup<T>(
  { kind, genesis, into, sequencerChainId }: Pick<RebuildOptions, 'kind' | 'genesis' | 'into' | 'sequencerChainId'>,
  env: NodeJS.ProcessEnv,
  work: (execution: string, rollup: Child) => Promise<T>,
): Promise<T> {
  // Only this user can use a socket in it.
  const sockets = mkdtempSync(join(tmpdir(), 'switchyard-rebuild-'));
  const socket = `unix:${join(sockets, 'execution')}`;
  const common = { EXECUTION_GRPC_ADDR: socket, COMPOSER_ADDR: `unix:${join(sockets, 'none')}`, NO_METRICS: 'true' };
  const own =
    kind === 'evm'
      ? { HTTP_ADDR: '127.0.0.1:0', WS_ADDR: '127.0.0.1:0', BACKEND: 'embedded' }
      : {
          REST_ADDR: '127.0.0.1:0',
          ...(sequencerChainId === undefined ? {} : { SEQUENCER_CHAIN_ID: sequencerChainId }),
        };
  const settings = { ...common, ...own, GENESIS_FILEPATH: genesis, DB_FILEPATH: into };
  const prefix = kind === 'evm' ? 'SVC_EVM_' : '';
  const prefixed = Object.fromEntries(Object.entries(settings).map(([name, value]) => [prefix + name, value]));
  mkdirSync(into, { recursive: true, mode: 0o700 });
  const rollup = startChild('rollup', BUILTINS[kind].entry, prefixed, env);
  try {
    await rollup.logged(kind === 'evm' ? 'executionUrl' : 'execution');
    return await work(socket, rollup);
  } finally {
    await rollup.stop();
    rmSync(sockets, { recursive: true, force: true });
  }
}

async function untilDone(
  api: string,
  signal: AbortSignal,
  progress: RebuildDeps['progress'],
): Promise<Omit<Rebuilt, 'hash'>> {
  /** Of the layer, when this began: what is posted later is not waited for. */
  let target: bigint | undefined;
  for (;;) {
    signal.throwIfAborted();
    const status = readStatus((await httpGet(`${api}/status`)).body);
    target ??= status.layerHead;
    progress(status);
    const step = stepOf(status, target);
    if (step.kind === 'done') return step.last;
    if (step.kind === 'nothing') {
      throw new Failure(
        `the layer has no block of the sequencer that the rollup could begin with, up to its height ${target}: check chain, anchor, and the layer's height in the genesis`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Failure('stopped; what was made until then stays')), {
      once: true,
    });
  });
}

function requireEmpty(directory: string): void {
  if (!existsSync(directory) || readdirSync(directory).length === 0) return;
  throw new Failure(`${directory}: is not empty: give another directory, or move away what is there`);
}
