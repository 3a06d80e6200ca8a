import { u64Reader } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { jsonText } from '../../print.ts';
import { sequencerOf, withSequencer } from './options.ts';

/** `switchyard sequencer block get [HEIGHT]`: JSON in both modes, as in the reference. */
export function blockCommand(cli: Cli, connect: Connections) {
  return withSequencer(leaf('get', "show a block of the sequencer, as CometBFT's RPC has it", '', '100'))
    .argument('[height]', 'which (default: the newest)', u64Reader('height'))
    .action(async (height, options) => {
      const block = await (await sequencerOf(options, cli, connect)).block(height);
      cli.print(block, jsonText(block));
    });
}
