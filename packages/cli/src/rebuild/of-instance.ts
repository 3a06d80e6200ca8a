/** A rebuild of a rollup of `dev`: what its files state, its layer, and the earlier state. */

import { existsSync, readdirSync } from 'node:fs';
import { executionClient } from '@switchyard/client';
import { httpGet } from '@switchyard/network/supervisor/http-get';
import { type BlockMetadata, toSequencerHeight } from '@switchyard/protocol';
import { Failure } from '@switchyard/service/failure';
import { readValue } from '@switchyard/service/lenient';
import { processesUsing } from '@switchyard/storage';
import { FIELDS } from '../dev/config/known-settings.ts';
import { parseJson, readText } from '../dev/files/files.ts';
import type { InstancePaths } from '../dev/instance/home.ts';
import { BUILTINS } from '../dev/services/builtin.ts';
import type { PlannedService } from '../dev/services/planned.ts';
import type { Anchor } from './anchor.ts';
import { startChild } from './child.ts';
import { type InstanceRollup, programFor, toRollups } from './instance-rollup.ts';
import { type RollupOptions, withRollup } from './rebuild.ts';
import { isUnfinished } from './unfinished.ts';

/** A rollup and the layer of its instance. @param code Module of its definition. @throws {Failure} if there is no layer, or the code is missing. */
export function rebuildable({ planned, name, kind, ...rollup }: InstanceRollup, code: string | undefined) {
  const layer = getLayer(planned);
  if (layer[FIELDS.conductor.celestiaNodeHttpUrl.names[0]] === undefined) {
    throw new Failure(
      `the network of rollup ${name} has no data-availability layer: there is nothing to rebuild from. \`switchyard dev init --data-availability local\` makes an instance that has one`,
    );
  }
  // The layer, if it is a service of the instance.
  const da = planned.find(({ builtin }) => builtin === 'da');
  const running = holdsState(rollup.data) ? rollup.data : undefined;
  return { ...rollup, ...programFor(name, kind, code), layer, da, running };
}

/** Contents of an archive for an instance: the sequencer and all its rollups. */
export function findArchived(paths: InstancePaths, network: string, env: NodeJS.ProcessEnv) {
  const { planned, rollups } = toRollups(paths, network, env);
  const posting = planned.find(({ builtin }) => builtin === 'relayer')?.env[FIELDS.relayer.sequencerChainId.names[0]];
  const layer = getLayer(planned);
  return {
    url: layer[FIELDS.conductor.celestiaNodeHttpUrl.names[0]],
    sequencerChainId: posting ?? layer[FIELDS.conductor.expectedSequencerChainId.names[0]],
    rollups: rollups.flatMap(({ genesis }) => nameIn(genesis) ?? []),
  };
}

/** The name of the rollup that a genesis is of. */
function nameIn(file: string): string | undefined {
  const genesis = parseJson(readText(file), file);
  const name = (...keys: readonly string[]) =>
    readValue(genesis, (input) => keys.reduce((at, key) => at.at(key), input).text());
  return name('rollup_name') ?? name('rollupName') ?? name('config', 'switchyard', 'rollupName');
}

/** The settings by which a conductor reads a layer. */
const LAYER = Object.entries(FIELDS.conductor).flatMap(([key, { names }]) =>
  /^celestia|^expected/.test(key) ? [names[0]] : [],
);

function getLayer(planned: readonly PlannedService[]): Readonly<Record<string, string>> {
  const conductor = planned.find(({ builtin }) => builtin === 'conductor');
  return Object.fromEntries(Object.entries(conductor?.env ?? {}).filter(([name]) => LAYER.includes(name)));
}

/** Runs the layer of the instance in the meantime, unless it runs. */
export async function withLayer<T>(
  { da, layer }: Pick<ReturnType<typeof rebuildable>, 'da' | 'layer'>,
  { env, signal }: { readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  const url = layer[FIELDS.conductor.celestiaNodeHttpUrl.names[0]] ?? '';
  const answers = () =>
    httpGet(`${url.replace(/\/+$/, '')}/healthz`).then(
      () => true,
      // A layer that is only late has a port: without one there is an error of the system.
      (error: unknown) => !(error instanceof Error && 'code' in error),
    );
  if (da === undefined || url === '' || (await answers())) return work();
  const child = startChild('layer', BUILTINS.da, da.env, env);
  try {
    const begun = async () => {
      while (!(await answers())) {
        signal.throwIfAborted();
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      return work();
    };
    return await Promise.race([begun(), child.ended]);
  } finally {
    await child.stop();
  }
}

/** Whether there is more than the left-overs of an unfinished rebuild. */
const holdsState = (data: string) => existsSync(data) && readdirSync(data).length > 0 && !isUnfinished(data);

/** State of the rollup before the rebuild. */
export interface Before {
  readonly soft: bigint;
  readonly firm: bigint;
  /** Undefined if block 1 is no longer kept. */
  readonly anchor: Anchor | undefined;
  blocks(numbers: readonly bigint[]): Promise<readonly BlockMetadata[]>;
}

/** @returns undefined if nothing is there, or left-overs of an unfinished rebuild. @throws {Failure} while a process uses it. */
export async function withBefore<T>(
  rollup: Omit<RollupOptions, 'into'> & { readonly data: string },
  env: NodeJS.ProcessEnv,
  work: (before: Before) => Promise<T>,
): Promise<T | undefined> {
  const { data } = rollup;
  if (!holdsState(data)) return undefined;
  const users = processesUsing(data);
  if (users.length > 0)
    throw new Failure(`${data}: process ${users.join(', ')} uses it: \`switchyard dev stop\`, and repeat`);
  return withRollup({ ...rollup, into: data }, env, async (execution) => {
    const client = executionClient(execution);
    try {
      const { parameters, commitments } = await client.session();
      const { soft, firm } = commitments;
      const first = parameters.rollupStartNumber;
      const hash =
        soft.number < first
          ? undefined
          : await client.block(first).then(
              ({ sequencerBlockHash }) => sequencerBlockHash,
              () => undefined,
            );
      const anchor = hash === undefined ? undefined : { height: Number(toSequencerHeight(parameters, first)), hash };
      const blocks = (numbers: readonly bigint[]) => Promise.all(numbers.map((number) => client.block(number)));
      return await work({ soft: soft.number, firm: firm.number, anchor, blocks });
    } finally {
      client.close();
    }
  });
}

/** How the rebuilt state relates to the earlier one. */
export interface Comparison {
  /** Up to this block both are the same. */
  readonly same: bigint;
  /** The first block that differs; undefined if there is none. */
  readonly different: bigint | undefined;
  readonly soft: bigint;
  readonly firm: bigint;
}

/** Each block names the one before it, so that one hash stands for all below. */
export async function compare(
  before: Pick<Before, 'soft' | 'firm' | 'blocks'>,
  rebuilt: { readonly number: bigint; block(number: bigint): Promise<string> },
): Promise<Comparison> {
  const { soft, firm } = before;
  const isSame = async (number: bigint) => (await before.blocks([number]))[0]?.hash === (await rebuilt.block(number));
  const top = soft < rebuilt.number ? soft : rebuilt.number;
  if (await isSame(top)) return { same: top, different: undefined, soft, firm };
  let [same, different] = [-1n, top];
  while (different - same > 1n) {
    const middle = (same + different) / 2n;
    if (await isSame(middle)) same = middle;
    else different = middle;
  }
  return { same, different, soft, firm };
}
