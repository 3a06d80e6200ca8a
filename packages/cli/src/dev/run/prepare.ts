import { execFile } from 'node:child_process';
import { compactable, SPARSE } from '@switchyard/storage';
import { requireVersion } from '../comet/binary.ts';
import { prepareNode } from '../comet/service.ts';
import { requireTokenFile } from '../networks/token-file.ts';
import type { PlannedService } from '../services/planned.ts';
import type { RunPlan } from './plan.ts';

interface PrepareOptions {
  /** Aborts a download. */
  readonly signal?: AbortSignal | undefined;
  readonly onNotice: (line: string) => void;
}

/** Steps before the first process that may take long, or fail: programs, downloads, databases. @throws {Failure} */
export async function prepareRun(plan: RunPlan, options: PrepareOptions): Promise<void> {
  const { paths } = plan.instance;
  requireTokenFile(plan.instance);
  const nodes = plan.services.filter(({ comet }) => comet !== undefined);
  for (const program of new Set(nodes.map(({ command }) => command))) await requireVersion(program);
  for (const service of [...plan.services]) {
    if (service.comet !== undefined) prepareNode(service.comet);
    if (service.download !== undefined) plan.replace(await downloaded(service, service.download, options));
  }
  if (plan.services.some(({ celestia }) => celestia !== undefined)) {
    const { prepareCelestia } = await import('../celestia/prepare.ts');
    await prepareCelestia(paths, plan.services, options);
  }
  for (const line of await compactAtStart(paths.data)) options.onNotice(line);
}

async function downloaded(
  service: PlannedService,
  download: NonNullable<PlannedService['download']>,
  { signal, onNotice }: PrepareOptions,
): Promise<PlannedService> {
  // Loaded only here: it brings the unpacker.
  const { fetchProgram } = await import('../services/download.ts');
  const command = await fetchProgram(download, { say: onNotice, ...(signal === undefined ? {} : { signal }) });
  return { ...service, command };
}

/**
 * Compacts large and mostly free stores in a separate process, which a damaged database may crash without keeping the
 * services, which report the damage, from starting.
 *
 * @returns lines on the changes, or why there are none.
 */
async function compactAtStart(data: string): Promise<string[]> {
  const [, program] = process.argv;
  if (compactable(data, SPARSE).length === 0 || program === undefined) return [];
  return new Promise((resolve) => {
    execFile(process.execPath, [program, 'dev', 'compact', data, '--sparse'], (error, stdout, stderr) => {
      const lines = `${stdout}${error === null ? '' : stderr}`.split('\n').filter((line) => line.trim() !== '');
      resolve(lines.filter((line) => !line.startsWith('nothing to gain')).map((line) => `compacting: ${line}`));
    });
  });
}
