import type { Command } from 'commander';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { type SubmitOptions, withSubmit } from './options.ts';
import { submit } from './submit.ts';

/** The second is what the reference reads for this command. */
const KEY_VARIABLES = ['ROLLUP_PRIVATE_KEY', 'PRIVATE_KEY'] as const;

interface Options extends SubmitOptions {
  readonly amount: string;
  readonly asset: string;
}

/** `rollup-cli submit transfer --amount N ADDRESS` */
export function transferCommand(cli: Cli, connect: Connections): Command {
  return withSubmit(
    leaf(
      'transfer',
      'send an amount to another account of the rollup; it costs nothing',
      'astria1yf56efahcq786pe5t7paknat40g6q4tsvqtql2 --amount 5 --private-key-file alice.key',
    ),
    KEY_VARIABLES,
  )
    .argument('<address>', 'who gets it')
    .requiredOption('--amount <n>', "how much, in the asset's smallest unit")
    .option('--asset <asset>', 'asset to transfer', 'nria')
    .action((address: string, options: Options) =>
      submit(
        {
          title: 'Transfer',
          keyVariables: KEY_VARIABLES,
          async prepare() {
            const [{ addressOf, amountOf, denomOf }, { signTransfer }] = await Promise.all([
              import('../../arguments.ts'),
              import('@switchyard/messenger/client'),
            ]);
            addressOf('address', address, options.prefix);
            const transfer = {
              to: address,
              amount: amountOf('--amount', options.amount),
              asset: denomOf('--asset', options.asset).text,
              feeAsset: denomOf('--fee-asset', options.feeAsset).text,
            };
            return ({ nonce, chainId, signer }) => signTransfer({ nonce, chainId, ...transfer }, signer);
          },
        },
        options,
        cli,
        connect,
      ),
    );
}
