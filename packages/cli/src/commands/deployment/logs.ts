import type { Command } from 'commander';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { type LogOptions, logChoice, withLogOptions } from '../log-options.ts';
import { openTarget, type TargetOptions, withNamespace } from './options.ts';

/** `switchyard rollup deployment logs <name> [part]` */
export function logsCommand(cli: Cli, connect: Connections): Command {
  const command = withNamespace(
    leaf('logs', 'show what the processes of a rollup log', 'cosmic', 'cosmic composer --lines 20 --follow'),
  )
    .argument('<name>', 'name of the rollup')
    .argument('[part]', 'one process, such as evm, composer, conductor, faucet or explorer (default: all)');
  return withLogOptions(command).action(
    async (name: string, part: string | undefined, options: TargetOptions & LogOptions) => {
      const choice = await logChoice(part, options);
      await (await openTarget(options, cli, connect)).logs(name, choice);
    },
  );
}
