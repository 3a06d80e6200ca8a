import type { Cli } from '../../cli.ts';
import { placeCommand } from './place.ts';
import { testnetCommand } from './testnet.ts';

/** `switchyard network ...`: the files of a network on several machines. */
export function networkCommands(cli: Cli) {
  return [testnetCommand(cli), placeCommand(cli)];
}
