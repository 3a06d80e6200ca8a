import { addressOf } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { askedRollup, withRollup } from './options.ts';

/** `rollup-cli query nonce ADDRESS` */
export function nonceCommand(cli: Cli, connect: Connections) {
  return withRollup(
    leaf(
      'nonce',
      'show the next nonce of an account, counting what is under way',
      'astria1yf56efahcq786pe5t7paknat40g6q4tsvqtql2',
    ),
  )
    .argument('<address>', 'whose')
    .action(async (address, options) => {
      addressOf('address', address);
      const nonce = await (await askedRollup(options, cli, connect)).nonce(address);
      cli.print({ address, nonce }, `Nonce: ${nonce}`);
    });
}
