import type { Cli } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { statusCommand } from './status.ts';
import { withdrawalsCommand } from './withdrawals.ts';

/** `switchyard bridge ...`: withdrawals, and the account that pays them. */
export function bridgeCommands(cli: Cli, connect: Connections) {
  return [statusCommand(cli, connect), withdrawalsCommand(cli, connect)];
}
