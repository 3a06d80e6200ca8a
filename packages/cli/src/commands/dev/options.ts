import { type Command, Option } from 'commander';
import type { Cli } from '../../cli.ts';
import type { InstancePaths } from '../../dev/home.ts';

/** Options that say which instance is meant. */
export interface InstanceOptions {
  readonly instance: string;
  readonly home?: string;
}

export function withInstance(command: Command): Command {
  return command
    .option('--instance <name>', 'which instance', 'default')
    .addOption(new Option('--home <directory>', 'root of all instances (SWITCHYARD_HOME; default ~/.switchyard)'));
}

/** @throws {Failure} when the name cannot be one. */
export async function pathsOf({ instance, home }: InstanceOptions, cli: Cli): Promise<InstancePaths> {
  const { homeDirectory, instancePaths } = await import('../../dev/home.ts');
  return instancePaths(homeDirectory(home, cli.world.env), instance);
}

/** How a hint has to name the instance: the default needs no flag. */
export function instanceFlag({ instance, home }: InstanceOptions): string {
  return `${instance === 'default' ? '' : ` --instance ${instance}`}${home === undefined ? '' : ` --home ${home}`}`;
}
