import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { usage } from '@switchyard/service/failure';
import { didYouMean } from '@switchyard/service/settings';
import { PROGRAM_NAMES } from '@switchyard/stack/network';
import { PROGRAMS } from '@switchyard/stack/programs';
import { celestiaProgram, isCelestiaLabel } from '../celestia/layout.ts';
import { isCometLabel } from '../comet/layout.ts';
import type { InstancePaths } from '../instance/home.ts';
import { type Instance, readInstance, type ServiceEntry } from '../instance/instance.ts';
import { currentRun } from '../instance/run-file.ts';

/** Options of the command line about the services of one run. */
export interface Flags {
  /** Programs to run instead of the described ones, by label. */
  readonly programs?: Readonly<Record<string, string>>;
  /** Our services run as parts of this process. */
  readonly inProcess?: boolean;
  /** Log level of all our services. */
  readonly logLevel?: string;
  /** Base of relative paths. */
  readonly directory?: string;
}

const LOG_SETTINGS = PROGRAM_NAMES.map((name) => PROGRAMS[name].fields.log.names[0]);

/** The instance as the command line wants it for this run. @throws {Failure} */
export function withFlags(instance: Instance, { programs = {}, logLevel, directory = '/' }: Flags): Instance {
  const { network } = instance;
  const labels = network.services.map(({ label }) => label);
  for (const [label, path] of Object.entries(programs)) {
    if (!labels.some((each) => isMeant(label, each))) {
      throw usage(
        `--${label}-path: network ${network.name} has no service ${label}, it has ${labels.join(', ')}${didYouMean(label, labels)}`,
      );
    }
    if (!existsSync(resolve(directory, path))) throw usage(`--${label}-path: no file ${path}`);
  }
  const services = network.services.map((entry): ServiceEntry => {
    const named = Object.entries(programs).find(([label]) => isMeant(label, entry.label))?.[1];
    const program =
      named !== undefined && isCelestiaLabel(entry.label) ? join(named, celestiaProgram(entry.label)) : named;
    return {
      ...entry,
      ...(program === undefined
        ? {}
        : { localPath: isAbsolute(program) ? program : resolve(directory, program), downloadUrl: '' }),
      ...(logLevel === undefined ? {} : { env: withLogLevel(entry.env, logLevel) }),
    };
  });
  return { ...instance, network: { ...network, services } };
}

/** The instance as the files have it; if this network runs, with the programs that it runs. @throws {Failure} */
export function readAsRun(paths: InstancePaths, network: string, env: NodeJS.ProcessEnv): Instance {
  const instance = readInstance(paths, network, env);
  const run = currentRun(paths);
  if (run?.network !== network) return instance;
  const services = instance.network.services.map((entry): ServiceEntry => {
    const localPath = run.programs[entry.label];
    return localPath === undefined ? entry : { ...entry, localPath, downloadUrl: '' };
  });
  return { ...instance, network: { ...instance.network, services } };
}

/** One path is for all nodes of a network under CometBFT, and one directory for those of a Celestia network. */
function isMeant(flag: string, label: string): boolean {
  return (
    label === flag || (flag === 'cometbft' && isCometLabel(label)) || (flag === 'celestia' && isCelestiaLabel(label))
  );
}

function withLogLevel(env: Readonly<Record<string, string>>, level: string): Record<string, string> {
  const others = Object.entries(env).filter(([name]) => !LOG_SETTINGS.includes(name.toUpperCase()));
  return Object.fromEntries([...others, ...LOG_SETTINGS.map((name) => [name, level])]);
}
