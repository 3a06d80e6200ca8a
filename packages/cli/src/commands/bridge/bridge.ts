import type { Cli } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { owedCommand } from './owed.ts';
import { statusCommand } from './status.ts';
import { withdrawalsCommand } from './withdrawals.ts';

/** `switchyard bridge ...`: what a bridge account holds, owes and has paid. */
export function bridgeCommands(cli: Cli, connect: Connections) {
  return [statusCommand(cli, connect), withdrawalsCommand(cli, connect), owedCommand(cli)];
}
