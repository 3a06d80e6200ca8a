import { resolve } from 'node:path';
import type { Cli } from '../../cli.ts';
import { columns } from '../../print.ts';
import { VERSION } from '../../version.ts';
import { accountsCommand } from './accounts.ts';
import { configCommand } from './config.ts';
import { doctorCommand } from './doctor.ts';
import { initCommand } from './init.ts';
import { installCommand } from './install.ts';
import { logsCommand } from './logs.ts';
import { networkCommand } from './network.ts';
import { getPaths, instanceLeaf } from './options.ts';
import { purgeCommand, resetCommand, stoppedInstance } from './removing.ts';
import { runCommand } from './run.ts';
import { restartCommand, startCommand, stopCommand } from './services.ts';
import { setconfigCommand } from './setconfig.ts';
import { snapshotCommand } from './snapshot.ts';
import { statusCommand } from './status.ts';

/** `switchyard dev ...`: local networks. */
export function devCommands(cli: Cli) {
  return [
    initCommand(cli),
    runCommand(cli),
    statusCommand(cli),
    stopCommand(cli),
    logsCommand(cli),
    startCommand(cli),
    restartCommand(cli),
    setconfigCommand(cli),
    configCommand(cli),
    networkCommand(cli),
    resetCommand(cli),
    purgeCommand(cli),
    snapshotCommand(cli),
    compactCommand(cli),
    accountsCommand(cli),
    doctorCommand(cli),
    installCommand(cli),
    devVersionCommand(cli),
  ];
}

export function devVersionCommand(cli: Cli) {
  return instanceLeaf('version', 'show the version and the program of every service of a network', '', '--json')
    .alias('versions')
    .option('--network <name>', 'which network of networks-config.toml (default: the running one, or local)')
    .action(async (options) => {
      const { getVersions } = await import('../../dev/instance/versions.ts');
      const versions = await getVersions(await getPaths(options, cli), options.network, cli.world.env);
      const { instance, network, services } = versions;
      cli.print({ switchyard: VERSION, ...versions }, [
        `switchyard ${VERSION}; network ${network} of instance ${instance}`,
        ...columns(services.map(({ name, version, program }) => [`  ${name}`, version, program])),
      ]);
    });
}

function compactCommand(cli: Cli) {
  return instanceLeaf(
    'compact',
    'give pages of databases that are free back to the disk',
    '',
    '/var/lib/switchyard --sparse',
  )
    .argument('[directory]', 'databases below it, of processes that do not run; otherwise those of the instance')
    .option('--sparse', 'only large ones of which most is free, as a start does')
    .action(async (directory, options) => {
      const { compactStores, ON_COMMAND, SPARSE } = await import('@switchyard/storage');
      const below = directory ?? (await stoppedInstance(options, cli, 'compact its databases')).data;
      const compacted = await compactStores(resolve(below), options.sparse ? SPARSE : ON_COMMAND);
      const lines = compacted.map(
        ({ directory: at, before, after }) => `${at}: ${megabytes(before)} to ${megabytes(after)}`,
      );
      cli.print({ compacted }, lines.length === 0 ? `nothing to gain below ${below}` : lines);
    });
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
