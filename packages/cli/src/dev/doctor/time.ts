import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { wallClock } from '@switchyard/service';
import { readJson } from '../files/read-json.ts';
import type { Instance } from '../instance/instance.ts';
import type { RunFile } from '../instance/run-file.ts';
import { syncInfo } from '../status/heights.ts';
import { httpGet } from '../supervisor/http-get.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Two clocks of one machine differ by less; a block is dated when it is begun. */
const TOLERATED_MS = 5_000;

/** Compares the clock with what the network last wrote: block times never go back, so neither may the clock. */
export async function timeFindings({ paths, network }: Instance, run: RunFile | undefined): Promise<Finding[]> {
  if (run === undefined) return [checkStored(newestBelow(paths.data), wallClock.unixMs())];
  const at = await httpGet(`${network.sequencerRpc}/status`).then(
    ({ body }) => readJson(body, (status) => Date.parse(syncInfo(status).at('latest_block_time').text())),
    () => undefined,
  );
  if (at === undefined || Number.isNaN(at)) {
    return [warn('clock', `${network.sequencerRpc} does not say when its last block was`, 'see whether it runs')];
  }
  return [checkBlockTime(at, wallClock.unixMs())];
}

/** @param now Both in milliseconds since 1970. */
export function checkBlockTime(block: number, now: number): Finding {
  const seconds = Math.round(Math.abs(now - block) / 1_000);
  if (block - now > TOLERATED_MS) {
    return fail(
      'clock',
      `the sequencer's last block is dated ${seconds} s in the future`,
      'set the clock by the network',
    );
  }
  if (now - block > 60_000) {
    return warn(
      'clock',
      `the sequencer's last block is ${seconds} s old`,
      'it makes none, or the clocks differ: see its log',
    );
  }
  return ok('clock', `the sequencer's last block is ${seconds} s old`);
}

/** @param newest When the state was last written; `undefined`: there is none. */
export function checkStored(newest: number | undefined, now: number): Finding {
  if (newest === undefined) return ok('clock', 'nothing stored to compare it with');
  if (newest - now <= TOLERATED_MS) return ok('clock', 'after all that is stored');
  const seconds = Math.round((newest - now) / 1_000);
  return warn('clock', `state was stored ${seconds} s in the future`, 'the clock was set back: set it by the network');
}

function newestBelow(directory: string): number | undefined {
  if (!existsSync(directory)) return undefined;
  const times = readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return times.length === 0 ? undefined : times.reduce((newest, time) => Math.max(newest, time), 0);
}
