import { type Cli, group } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { chartCommand } from './chart.ts';
import { composeCommand } from './compose.ts';
import { createCommand } from './create.ts';
import { deleteCommand } from './delete.ts';
import { listCommand } from './list.ts';
import { logsCommand } from './logs.ts';
import { statusCommand } from './status.ts';

/** `switchyard rollup deployment ...` */
export function deploymentCommands(cli: Cli, connect: Connections) {
  return group('deployment', 'run an EVM rollup that a manifest describes', [
    createCommand(cli, connect),
    chartCommand(cli),
    composeCommand(cli),
    listCommand(cli, connect),
    statusCommand(cli, connect),
    logsCommand(cli, connect),
    deleteCommand(cli, connect),
  ]);
}
