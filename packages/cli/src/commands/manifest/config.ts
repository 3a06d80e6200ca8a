import { type Cli, group } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { deploymentCommands } from '../deployment/deployment.ts';
import { checkCommand } from './check.ts';
import { createCommand } from './create.ts';
import { deleteCommand } from './delete.ts';
import { editCommand } from './edit.ts';
import { schemaCommand } from './schema.ts';
import { showCommand } from './show.ts';

/** `switchyard rollup ...`: the manifest of an EVM rollup, and its deployment. */
export function rollupCommands(cli: Cli, connect: Connections) {
  return [
    group('config', 'write, change and check the manifest of an EVM rollup', [
      createCommand(cli, connect),
      editCommand(cli),
      showCommand(cli),
      checkCommand(cli, connect),
      deleteCommand(cli),
      schemaCommand(cli),
    ]),
    deploymentCommands(cli, connect),
  ];
}
