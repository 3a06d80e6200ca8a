import type { Command } from 'commander';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { jsonText } from '../../print.ts';
import { type SequencerOptions, sequencerOf, withSequencer } from './options.ts';

/** `switchyard sequencer block get [HEIGHT]`: JSON in both modes, as in the reference. */
export function blockCommand(cli: Cli, connect: Connections): Command {
  return withSequencer(leaf('get', "show a block of the sequencer, as CometBFT's RPC has it", '', '100'))
    .argument('[height]', 'which (default: the newest)')
    .action(async (text: string | undefined, options: SequencerOptions) => {
      const { u64Of } = await import('../../arguments.ts');
      const height = text === undefined ? undefined : u64Of('height', text);
      const block = await (await sequencerOf(options, cli, connect)).block(height);
      cli.print(block, jsonText(block));
    });
}
