import { addressOf, denomOf, readAmount } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { withSubmit } from './options.ts';
import { submit } from './submit.ts';

/** The second is what the reference reads for this command. */
const KEY_VARIABLES = ['ROLLUP_PRIVATE_KEY', 'PRIVATE_KEY'] as const;

/** `rollup-cli submit transfer --amount N ADDRESS` */
export function transferCommand(cli: Cli, connect: Connections) {
  return withSubmit(KEY_VARIABLES)(
    leaf(
      'transfer',
      'send an amount to another account of the rollup; it costs nothing',
      'astria1yf56efahcq786pe5t7paknat40g6q4tsvqtql2 --amount 5 --private-key-file alice.key',
    ),
  )
    .argument('<address>', 'who gets it')
    .requiredOption('--amount <n>', "how much, in the asset's smallest unit", readAmount)
    .option('--asset <asset>', 'asset to transfer', 'nria')
    .action((address, options) =>
      submit({ title: 'Transfer', keyVariables: KEY_VARIABLES, options, cli, connect }, async () => {
        const { signTransfer } = await import('@switchyard/messenger/client/signing');
        addressOf('address', address, options.prefix);
        const transfer = {
          to: address,
          amount: options.amount,
          asset: denomOf('--asset', options.asset).text,
          feeAsset: denomOf('--fee-asset', options.feeAsset).text,
        };
        return ({ nonce, chainId, signer }) => signTransfer({ nonce, chainId, ...transfer }, signer);
      }),
    );
}
