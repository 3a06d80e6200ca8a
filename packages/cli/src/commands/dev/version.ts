import { type Cli, leaf } from '../../cli.ts';
import { columns } from '../../print.ts';
import { VERSION } from '../../version.ts';
import { pathsOf, withInstance } from './options.ts';

/** `switchyard dev version` */
export function devVersionCommand(cli: Cli) {
  return withInstance(leaf('version', 'show the version and the program of every service of a network', '', '--json'))
    .alias('versions')
    .option('--network <name>', 'which network of networks-config.toml (default: the running one, or local)')
    .action(async (options) => {
      const { versionsOf } = await import('../../dev/instance/versions.ts');
      const versions = await versionsOf(await pathsOf(options, cli), options.network, cli.world.env);
      const { instance, network, services } = versions;
      cli.print({ switchyard: VERSION, ...versions }, [
        `switchyard ${VERSION}; network ${network} of instance ${instance}`,
        ...columns(services.map(({ name, version, program }) => [`  ${name}`, version, program])),
      ]);
    });
}
