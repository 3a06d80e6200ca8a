import type { Command } from 'commander';
import { type Cli, group } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { checkCommand } from './check.ts';
import { createCommand } from './create.ts';
import { deleteCommand } from './delete.ts';
import { deploymentCreateCommand } from './deployment-create.ts';
import { editCommand } from './edit.ts';
import { schemaCommand } from './schema.ts';
import { showCommand } from './show.ts';

/** `switchyard rollup ...`: the manifest of an EVM rollup, and what it is deployed as. */
export function rollupCommands(cli: Cli, connect: Connections): Command[] {
  return [
    group('config', 'write, change and check the manifest of an EVM rollup', [
      createCommand(cli, connect),
      editCommand(cli),
      showCommand(cli),
      checkCommand(cli, connect),
      deleteCommand(cli),
      schemaCommand(cli),
    ]),
    group('deployment', 'what a rollup is deployed as', [deploymentCreateCommand(cli)]),
  ];
}
