import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { sequencerOf, withSequencer } from './options.ts';

/** `switchyard sequencer blockheight get` */
export function blockheightCommand(cli: Cli, connect: Connections) {
  return withSequencer(leaf('get', "show the height of the sequencer's newest block", '', '--instance chat')).action(
    async (options) => {
      const height = await (await sequencerOf(options, cli, connect)).height();
      cli.print({ blockheight: Number(height) }, ['Block Height:', `    ${height}`]);
    },
  );
}
