import type { Command } from 'commander';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { type RollupOptions, rollupOf, withRollup } from './options.ts';

/** `rollup-cli query nonce ADDRESS` */
export function nonceCommand(cli: Cli, connect: Connections): Command {
  return withRollup(
    leaf(
      'nonce',
      'show the next nonce of an account, counting what is under way',
      'astria1yf56efahcq786pe5t7paknat40g6q4tsvqtql2',
    ),
  )
    .argument('<address>', 'whose')
    .action(async (address: string, options: RollupOptions) => {
      const { addressOf } = await import('../../arguments.ts');
      addressOf('address', address);
      const nonce = await (await rollupOf(options, cli, connect)).nonce(address);
      cli.print({ address, nonce }, `Nonce: ${nonce}`);
    });
}
