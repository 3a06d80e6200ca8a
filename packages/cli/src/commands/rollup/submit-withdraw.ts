import { addressOf, denomOf, readAmount } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { mustBePayable } from '../destination.ts';
import { withSubmit } from './options.ts';
import { submit } from './submit.ts';

const KEY_VARIABLES = ['ROLLUP_PRIVATE_KEY'] as const;

/** `rollup-cli submit withdraw --amount N ADDRESS` */
export function withdrawCommand(cli: Cli, connect: Connections) {
  return withSubmit(KEY_VARIABLES)(
    leaf(
      'withdraw',
      'burn an amount of a bridged asset, which the bridge account then pays to an account of the sequencer',
      'astria1yf56efahcq786pe5t7paknat40g6q4tsvqtql2 --amount 500 --asset ntia --private-key-file alice.key',
    ),
  )
    .argument('<address>', 'account of the sequencer that gets it')
    .requiredOption('--amount <n>', "how much, in the asset's smallest unit", readAmount)
    .option('--asset <asset>', 'asset to withdraw', 'nria')
    .option('--memo <text>', 'words for the receiver, at most 64 bytes', '')
    .action((address, options) =>
      submit({ title: 'Withdrawal', keyVariables: KEY_VARIABLES, options, cli, connect }, async () => {
        const { signWithdraw } = await import('@switchyard/messenger/client/signing');
        const asset = denomOf('--asset', options.asset).text;
        addressOf('address', address, options.prefix);
        const rollupUrl = options.rollupUrl ?? cli.world.env.ROLLUP_URL;
        await mustBePayable('address', address, { ...options, rollupUrl }, cli, connect);
        const withdrawal = { to: address, amount: options.amount, asset, memo: options.memo };
        return ({ nonce, chainId, signer }) => signWithdraw({ nonce, chainId, ...withdrawal }, signer);
      }),
    );
}
