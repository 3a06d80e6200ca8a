import type { Command } from 'commander';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { openTarget, type TargetOptions, withNamespace } from './options.ts';

const MOST_LINES = 10_000;

/** `switchyard rollup deployment logs <name> [part]` */
export function logsCommand(cli: Cli, connect: Connections): Command {
  return withNamespace(
    leaf('logs', 'show what the processes of a rollup log', 'cosmic', 'cosmic composer --lines 20 --follow'),
  )
    .argument('<name>', 'name of the rollup')
    .argument('[part]', 'one process, such as evm, composer, conductor, faucet or explorer (default: all)')
    .option('--lines <number>', 'of each process, from the end', '100')
    .option('--follow', 'show what is logged from now on, too, until interrupted')
    .action(
      async (
        name: string,
        part: string | undefined,
        options: TargetOptions & { readonly lines: string; readonly follow?: true },
      ) => {
        const { integerOf } = await import('../../arguments.ts');
        const lines = integerOf('--lines', options.lines, 0, MOST_LINES);
        const target = await openTarget(options, cli, connect);
        await target.logs(name, { ...(part === undefined ? {} : { part }), follow: options.follow === true, lines });
      },
    );
}
