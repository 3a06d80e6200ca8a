import { addressOf, denomOf } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { rollupOf, withRollup } from './options.ts';

/** `rollup-cli query balance ADDRESS` */
export function balanceCommand(cli: Cli, connect: Connections) {
  return withRollup(
    leaf(
      'balance',
      'show how much of an asset an account of the rollup holds',
      'astria1yf56efahcq786pe5t7paknat40g6q4tsvqtql2',
    ),
  )
    .argument('<address>', 'whose')
    .option('--asset <asset>', 'asset of the balance', 'nria')
    .action(async (address, options) => {
      addressOf('address', address);
      const { text: asset } = denomOf('--asset', options.asset);
      const balance = await (await rollupOf(options, cli, connect)).balance(address, asset);
      cli.print({ address, asset, balance }, `Balance: ${balance} ${asset}`);
    });
}
