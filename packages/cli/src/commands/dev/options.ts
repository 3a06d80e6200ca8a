import { Option } from '@commander-js/extra-typings';
import { quoted } from '@switchyard/storage/damaged';
import { type Cli, leaf, type OptionsOf, optionSet } from '../../cli.ts';
import type { InstancePaths } from '../../dev/instance/home.ts';

export const withInstance = optionSet((command) =>
  command
    .option(
      '--instance <name>',
      'which instance (SWITCHYARD_INSTANCE_NAME; default "default", or as in tui-config.toml)',
    )
    .addOption(homeOption()),
);

/** A command about an instance. */
export const instanceLeaf = (...item: Parameters<typeof leaf>) => withInstance(leaf(...item));

/** Which instance is meant; {@link unnamed} if none is named. */
export type InstanceOptions = OptionsOf<typeof withInstance>;

export const homeOption = () =>
  new Option('--home <directory>', 'root of all instances (SWITCHYARD_HOME; default ~/.switchyard)');

/** @throws {Failure} when the name cannot be one. */
export async function getPaths({ instance, home }: InstanceOptions, cli: Cli): Promise<InstancePaths> {
  const { homeDirectory, instancePaths } = await import('../../dev/instance/home.ts');
  const root = homeDirectory(home, cli.world.env);
  return instancePaths(root, instance ?? (await unnamed(root, cli)));
}

/** Our name for the variable, and the reference's. */
export const VARIABLES = ['SWITCHYARD_INSTANCE_NAME', 'ASTRIA_GO_INSTANCE'] as const;

/** Which instance a command means that was given none: the same for all of them, whether they run it or remove it. */
export async function unnamed(root: string, cli: Pick<Cli, 'note'> & { readonly world: Pick<Cli['world'], 'env'> }) {
  const { env } = cli.world;
  for (const variable of VARIABLES) if ((env[variable] ?? '') !== '') return env[variable] ?? '';
  const { overrideInstance } = await import('../../tui/settings.ts');
  return overrideInstance(root, cli.note);
}

/** How a hint has to name the instance: an unnamed one is found again without a flag. */
export function instanceFlag({ instance, home }: InstanceOptions): string {
  return `${instance === undefined ? '' : ` --instance ${instance}`}${home === undefined ? '' : ` --home ${quoted(home)}`}`;
}
