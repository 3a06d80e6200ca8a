import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { type Cli, group } from './cli.ts';
import { completionCommand } from './commands/completion.ts';
import {
  balanceCommand,
  nonceCommand,
  statusCommand,
  textsCommand,
  transactionCommand,
} from './commands/rollup/queries.ts';
import { textCommand, transferCommand, withdrawCommand } from './commands/rollup/submissions.ts';
import { type Connections, connections } from './connect.ts';
import { commandWithExamples } from './examples.ts';
import { runMain } from './main.ts';
import { VERSION } from './version.ts';

/** `rollup-cli`: use the messenger rollup. */
export function rollupCli(cli: Cli, connect: Connections = connections): CommandUnknownOpts {
  return commandWithExamples('rollup-cli')
    .description('Send texts and money on the messenger rollup, and ask what it holds')
    .version(VERSION, '-V, --version', 'show the version')
    .addCommand(
      group('submit', 'sign a transaction, send it and wait for its execution', [
        transferCommand(cli, connect),
        textCommand(cli, connect),
        withdrawCommand(cli, connect),
      ]),
    )
    .addCommand(
      group('query', 'ask the rollup', [
        textsCommand(cli, connect),
        balanceCommand(cli, connect),
        nonceCommand(cli, connect),
        transactionCommand(cli, connect),
      ]),
    )
    .addCommand(statusCommand(cli, connect))
    .addCommand(completionCommand(cli));
}

export function main(argv: readonly string[]): Promise<void> {
  return runMain((cli) => rollupCli(cli), argv);
}
