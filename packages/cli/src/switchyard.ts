import { Command } from 'commander';
import type { Cli } from './cli.ts';
import { devCommand } from './commands/dev/dev.ts';
import { sequencerCommand } from './commands/sequencer/sequencer.ts';
import { connections } from './connect.ts';
import type { Connections } from './connections.ts';
import { runProgram } from './run.ts';
import { VERSION } from './version.ts';
import { processWorld } from './world.ts';

/** `switchyard`: local networks, and the sequencer. */
export function switchyard(cli: Cli, connect: Connections = connections): Command {
  return new Command('switchyard')
    .description('Run a local network of sequencer, composer, conductor and rollup, and use a sequencer')
    .version(VERSION, '-V, --version', 'show the version')
    .addCommand(devCommand(cli))
    .addCommand(sequencerCommand(cli, connect));
}

export async function main(argv: readonly string[]): Promise<void> {
  process.exit(await runProgram(switchyard, argv.slice(2), processWorld()));
}
