import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { didYouMean } from '@switchyard/service/settings';
import { usage } from '../../failure.ts';
import { celestiaProgram, isCelestiaLabel } from '../celestia/layout.ts';
import { isCometLabel } from '../comet/layout.ts';
import type { Instance, ServiceEntry } from '../instance/instance.ts';

/** Options of the command line about the services of one run. */
export interface Flags {
  /** Programs to run instead of the described ones, by label. */
  readonly programs?: Readonly<Record<string, string>>;
  /** Log level of all our services. */
  readonly logLevel?: string;
  /** Where relative paths begin. */
  readonly directory?: string;
}

const LOG_SETTINGS = [
  'SVC_SEQUENCER_LOG',
  'SVC_COMPOSER_LOG',
  'SVC_CONDUCTOR_LOG',
  'SVC_EVM_LOG',
  'SVC_FAUCET_LOG',
  'SVC_EXPLORER_LOG',
  'LOG',
] as const;

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

/** One path is for all nodes of a network under CometBFT, and one directory for those of a Celestia network. */
function isMeant(flag: string, label: string): boolean {
  return (
    label === flag || (flag === 'cometbft' && isCometLabel(label)) || (flag === 'celestia' && isCelestiaLabel(label))
  );
}

function withLogLevel(env: Readonly<Record<string, string>>, level: string): Record<string, string> {
  const settings: readonly string[] = LOG_SETTINGS;
  const others = Object.entries(env).filter(([name]) => !settings.includes(name.toUpperCase()));
  return Object.fromEntries([...others, ...LOG_SETTINGS.map((name) => [name, level])]);
}
