import type { Command } from 'commander';
import { type Cli, group } from '../../cli.ts';
import { initCommand } from './init.ts';
import { purgeCommand } from './purge.ts';
import { resetCommand } from './reset.ts';
import { runCommand } from './run.ts';
import { setconfigCommand } from './setconfig.ts';
import { statusCommand } from './status.ts';
import { stopCommand } from './stop.ts';

/** `switchyard dev`: local networks. */
export function devCommand(cli: Cli): Command {
  return group('dev', 'make and run local networks', [
    initCommand(cli),
    runCommand(cli),
    statusCommand(cli),
    stopCommand(cli),
    setconfigCommand(cli),
    resetCommand(cli),
    purgeCommand(cli),
  ]);
}
