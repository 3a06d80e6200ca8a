import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isRunning } from '@switchyard/network/supervisor/processes';
import { Failure } from '@switchyard/service/failure';
import { VERSION } from '../../version.ts';
import type { Instance, ServiceEntry } from '../instance/instance.ts';
import type { RunFile } from '../instance/run-file.ts';
import { BUILTINS } from '../services/builtin.ts';
import { getProgram } from '../services/program.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const TIMEOUT_MS = 15_000;

/** Whether each service has a program that can start; a running one of ours needs no trial. */
export function serviceFindings(instance: Instance, env: NodeJS.ProcessEnv, run?: RunFile): Promise<Finding[]> {
  const running = new Set(run?.services.filter(isRunning).map(({ name }) => name));
  return Promise.all(instance.network.services.map((entry) => serviceFinding(instance, entry, env, running)));
}

async function serviceFinding(
  { paths, network }: Instance,
  entry: ServiceEntry,
  env: NodeJS.ProcessEnv,
  running: ReadonlySet<string>,
): Promise<Finding> {
  const where = `${paths.networks}: networks.${network.name}.services.${entry.label}`;
  const { name, version } = entry;
  try {
    const program = getProgram(entry, paths, where, env);
    if (program.kind === 'file') return ok('programs', `${name}: ${program.path}${version && `, version ${version}`}`);
    if (program.kind === 'download') {
      const { directory, url } = program.download;
      if (existsSync(directory)) return ok('programs', `${name}: ${program.download.command}, version ${version}`);
      return ok('programs', `${name}: not here yet; the first \`switchyard dev run\` downloads ${url}`);
    }
    if (running.has(name)) return ok('programs', `${name}: built in, version ${VERSION}, runs`);
    return await builtinFinding(name, program.builtin, env);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return fail('programs', error.message, `correct the program, or this entry of ${paths.networks}`);
  }
}

/** Its help loads all of it, so this also finds a library without a binary for this machine. */
function builtinFinding(name: string, builtin: keyof typeof BUILTINS, { PATH }: NodeJS.ProcessEnv): Promise<Finding> {
  const entry = BUILTINS[builtin];
  if (!existsSync(entry)) {
    return Promise.resolve(fail('programs', `${name}: ${entry} is absent`, 'build first, with `npm run build`'));
  }
  return new Promise((resolve) => {
    const options = { timeout: TIMEOUT_MS, env: { PATH }, encoding: 'utf8' as const };
    execFile(process.execPath, [entry, '--help'], options, (error, _, stderr) => {
      if (error === null) return resolve(ok('programs', `${name}: built in, version ${VERSION}`));
      const late = `${name}: ${entry} took more than ${TIMEOUT_MS / 1_000} s to load`;
      if (error.killed) return resolve(warn('programs', late, 'the machine is very busy'));
      const reason = stderr.split('\n').find((line) => /error/i.test(line)) ?? error.message.split('\n')[0];
      resolve(fail('programs', `${name}: ${entry} does not start: ${reason}`, 'reinstall Switchyard, or build it'));
    });
  });
}
