import { Failure } from '@switchyard/service/failure';
import { VERSION } from '../../version.ts';
import { getProgram } from '../services/program.ts';
import type { InstancePaths } from './home.ts';
import { type Instance, readInstance, type ServiceEntry } from './instance.ts';
import { currentRun } from './run-file.ts';

export type Versions = Readonly<Awaited<ReturnType<typeof getVersions>>>;

/** @param network Absent: the running one, else `local`. @throws {Failure} when the files are wrong. */
export async function getVersions(paths: InstancePaths, network: string | undefined, env: NodeJS.ProcessEnv) {
  const instance = readInstance(paths, network ?? currentRun(paths)?.network ?? 'local', env);
  return {
    instance: paths.name,
    network: instance.network.name,
    services: instance.network.services.map((entry) => ({ name: entry.name, ...getVersion(instance, entry, env) })),
  };
}

const OURS = `v${VERSION}`;

/** Ours have one version; the file keeps the version that wrote it. */
function drift({ version }: ServiceEntry): string {
  return version === '' || version === OURS ? '' : ` (networks-config.toml: ${version})`;
}

function getVersion({ paths, network }: Instance, entry: ServiceEntry, env: NodeJS.ProcessEnv) {
  const stated = entry.version === '' ? 'not stated' : entry.version;
  try {
    const where = `${paths.networks}: networks.${network.name}.services.${entry.label}`;
    const program = getProgram(entry, paths, where, env);
    switch (program.kind) {
      case 'builtin':
        return { version: OURS, program: `built in: ${program.builtin}${drift(entry)}` };
      case 'file':
        return { version: stated, program: program.path };
      case 'download':
        return { version: stated, program: program.download.url };
    }
  } catch (error) {
    if (error instanceof Failure) return { version: stated, program: error.message };
    throw error;
  }
}
