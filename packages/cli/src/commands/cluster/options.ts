import { type Cli, type OptionsOf, optionSet } from '../../cli.ts';
import { Clusters, PROVIDERS, providerOf } from '../../clusters/providers.ts';
import { usage } from '../../failure.ts';

/** Options of the commands for clusters that a program of this machine has made. */
export const withCluster = optionSet((command) =>
  command
    .option('--name <name>', 'name of the cluster', 'switchyard')
    .option('--provider <program>', `${Object.keys(PROVIDERS).join(' or ')} (default: the first one on PATH)`),
);

/** The provider's progress goes to stderr. @throws {Failure} where the options cannot be used. */
export function clustersOf({ name, provider }: OptionsOf<typeof withCluster>, cli: Cli): Clusters {
  // All providers take such names, and none of them can be mistaken for an option.
  if (!/^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/.test(name))
    throw usage(
      `--name: expected at most 32 lower-case letters, digits and dashes, got ${JSON.stringify(name.slice(0, 80))}`,
    );
  const { env } = cli.world;
  return new Clusters(providerOf(provider, env), { env, say: (line) => cli.note(line) });
}
