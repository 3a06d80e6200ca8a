import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { executionClient } from '@switchyard/client';
import { httpGet, jsonIn } from '@switchyard/network/supervisor/http-get';
import { timestampToMillis, toSequencerHeight } from '@switchyard/protocol';
import { type Clock, errorLine, retry, sleep, systemClock } from '@switchyard/service';
import { Failure } from '@switchyard/service/failure';
import { readValue } from '@switchyard/service/lenient';
import { isS3Url } from '@switchyard/service/settings';
import { settingsIn } from '@switchyard/stack/values';
import { FIELDS } from '../dev/config/known-settings.ts';
import { BUILTINS, moduleProgram } from '../dev/services/builtin.ts';
import { type ConductorPage, conductorPage } from '../dev/status/pages.ts';
import type { Anchor } from './anchor.ts';
import { awsVariables } from './archive-place.ts';
import { type Child, startChild } from './child.ts';
import { getFields, type RollupKind } from './instance-rollup.ts';
import { begin, finish } from './unfinished.ts';

/** Makes the state of a rollup again from posted blocks: the rollup and a conductor, started for this alone. */

/** A rollup on files of its own. */
export interface RollupOptions {
  readonly kind: RollupKind;
  /** Module of the definition, if the rollup is not one of ours. */
  readonly code?: string | undefined;
  /** Database of a node of the same chain, which has the blocks at which changes without a block have begun. */
  readonly running?: string | undefined;
  readonly genesis: string;
  /** Directory of the new state: missing, empty, or left by an earlier try. */
  readonly into: string;
  /** If the genesis does not name it. */
  readonly sequencerChainId?: string | undefined;
}

export interface RebuildOptions extends RollupOptions {
  /** A block of the sequencer that is known to be right: the source of the first rollup block, or an earlier one. */
  readonly anchor: Anchor;
  /** Settings of the conductor with the addresses of the layer, and its trusted block. */
  readonly layer: Readonly<Record<string, string>>;
}

export interface RebuildDeps {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  progress(status: ConductorPage): void;
}

/** The last block that was posted, and its rollup block. */
export interface Rebuilt {
  readonly sequencerHeight: bigint;
  readonly layerHeight: bigint;
  readonly time: string;
  readonly number: bigint;
  readonly hash: string;
}

const LOOK_EVERY_MS = 200;
/** On a busy machine answers are late; a process that ends is noticed by its end. */
const SILENT_MS = 120_000;

/** @throws {Failure} if the target is not empty, or a process ends; the finished part stays, and the next try continues. */
export async function rebuild(options: RebuildOptions, { env, signal, progress }: RebuildDeps): Promise<Rebuilt> {
  const { into, anchor } = options;
  begin(options);
  return withRollup(options, env, async (execution, rollup) => {
    const conductor = startChild(
      'conductor',
      BUILTINS.conductor,
      {
        ...options.layer,
        ...(isS3Url(options.layer[FIELDS.conductor.celestiaArchive.names[0]] ?? '') && awsVariables(env)),
        ...settingsIn([
          [FIELDS.conductor.executionRpcUrl, execution],
          [FIELDS.conductor.executionCommitLevel, 'FirmOnly'],
          [FIELDS.conductor.trustedHeight, anchor.height],
          [FIELDS.conductor.trustedHash, anchor.hash],
          [FIELDS.conductor.apiListenAddr, '127.0.0.1:0'],
          [FIELDS.conductor.noMetrics, true],
        ]),
      },
      env,
    );
    try {
      const api = await conductor.sent('api');
      const ended = Promise.race([conductor.ended, rollup.ended, aborted(signal)]);
      const ask = async () => (await httpGet(`${api}/status`)).body;
      await Promise.race([ended, untilDone(ask, { signal, progress, clock: systemClock })]);
    } finally {
      await conductor.stop();
    }
    const last = await Promise.race([getLast(execution, signal), rollup.ended]);
    finish(into);
    return last;
  });
}

/** The last block, queried once the conductor has ended: if the layer grows, it executes more until then. */
async function getLast(execution: string, signal: AbortSignal): Promise<Rebuilt> {
  const client = executionClient(execution);
  try {
    // The rollup notices the end of the conductor's connection a moment later.
    const session = await retry(() => client.session(), { signal, attempts: 50, maxMs: 500 });
    const { firm, lowestCelestiaSearchHeight: layerHeight } = session.commitments;
    return {
      ...{ number: firm.number, hash: firm.hash, layerHeight },
      sequencerHeight: toSequencerHeight(session.parameters, firm.number),
      time: new Date(timestampToMillis(firm.timestamp)).toISOString(),
    };
  } finally {
    client.close();
  }
}

/**
 * A rollup on a database, without composer and without listeners that another process could find by chance.
 *
 * @param work Gets the URLs of its Execution API and of its HTTP API.
 */
export async function withRollup<T>(
  { kind, code, running, genesis, into, sequencerChainId }: RollupOptions,
  env: NodeJS.ProcessEnv,
  work: (execution: string, rollup: Child, http: string) => Promise<T>,
): Promise<T> {
  // Only this user can use a socket in it.
  const sockets = mkdtempSync(join(tmpdir(), 'switchyard-rebuild-'));
  const socket = `unix:${join(sockets, 'execution')}`;
  const { evm, messenger } = FIELDS;
  const fields = getFields(kind);
  const settings = settingsIn([
    [fields.executionGrpcAddr, socket],
    [fields.composerAddr, `unix:${join(sockets, 'none')}`],
    [fields.noMetrics, true],
    [fields.genesisFilepath, genesis],
    [fields.dbFilepath, into],
    ...(kind === 'evm'
      ? ([
          [evm.httpAddr, '127.0.0.1:0'],
          [evm.wsAddr, '127.0.0.1:0'],
          [evm.backend, 'embedded'],
        ] as const)
      : ([
          [messenger.restAddr, '127.0.0.1:0'],
          [messenger.sequencerChainId, sequencerChainId],
        ] as const)),
  ]);
  mkdirSync(into, { recursive: true, mode: 0o700 });
  const program =
    kind === 'defined' ? moduleProgram('node', code ?? '', settings, running) : { entry: BUILTINS[kind], settings };
  const rollup = startChild('rollup', program.entry, program.settings, env);
  try {
    return await work(socket, rollup, await rollup.sent('http'));
  } finally {
    await rollup.stop();
    rmSync(sockets, { recursive: true, force: true });
  }
}

/** @param ask The conductor for its status. */
export async function untilDone(
  ask: () => Promise<string>,
  { signal, progress, clock }: Pick<RebuildDeps, 'signal' | 'progress'> & { readonly clock: Clock },
): Promise<void> {
  /** Head of the layer when this began: blocks that are posted later are not waited for. */
  let target: number | undefined;
  for (let answeredAt = clock.now(); ; await sleep(LOOK_EVERY_MS, signal, clock)) {
    let body: string;
    try {
      body = await ask();
    } catch (error) {
      if (clock.now() - answeredAt < SILENT_MS) continue;
      throw new Failure(`the conductor of the rebuild does not answer: ${errorLine(error)}`, error);
    }
    answeredAt = clock.now();
    const status = readStatus(body);
    target ??= status.layerHead;
    progress(status);
    const step = getStep(status, target);
    if (step === 'done') return;
    if (step === 'nothing') {
      throw new Failure(
        `the layer has no block of the sequencer that the rollup could begin with, up to its height ${target}: check chain, anchor, and the layer's height in the genesis`,
      );
    }
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Failure('stopped; the finished part stays')), {
      once: true,
    });
  });
}

/** Decisions of a rebuild from the status of a conductor, as functions of plain values. */

/** @throws {Failure} if it is no status of a conductor. */
export function readStatus(body: string): ConductorPage {
  const read = readValue(jsonIn(body), conductorPage);
  if (read === undefined) throw new Failure('the answer of the conductor is no status');
  return read;
}

/** `nothing`: all is read, and there is no block to begin with. */
type RebuildStep = 'wait' | 'nothing' | 'done';

/** @param target Height of the layer up to which it is read. */
export function getStep(status: ConductorPage, target: number | undefined): RebuildStep {
  const { layerComplete, postedHeight, nextHeight, soft, firm } = status;
  if (target === undefined || layerComplete === undefined || layerComplete < target) return 'wait';
  const isBegun = soft !== undefined && soft > 0;
  if (postedHeight === undefined && !isBegun) return 'nothing';
  if (nextHeight === undefined || soft === undefined || soft !== firm) return 'wait';
  // Without a block in this run, all that was posted was executed by an earlier one.
  return postedHeight === undefined || nextHeight === postedHeight + 1 ? 'done' : 'wait';
}
