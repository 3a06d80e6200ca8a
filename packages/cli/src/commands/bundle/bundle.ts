import type { Cli } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { statusCommand } from './status.ts';
import { submitCommand } from './submit.ts';

/** `switchyard bundle ...`: transactions of several rollups that go into one sequencer transaction, or nowhere. */
export function bundleCommands(cli: Cli, connect: Connections) {
  return [submitCommand(cli, connect), statusCommand(cli, connect)];
}
