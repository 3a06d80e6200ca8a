import { addressArgument, denomArgument, readAmount, sizeBetween, visible } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connect.ts';
import { mustBePayable } from '../destination.ts';
import { withSubmit } from './options.ts';
import { submit } from './submit.ts';

const KEY_VARIABLES = ['ROLLUP_PRIVATE_KEY'] as const;
/** The reference reads the second one for this command. */
const TRANSFER_VARIABLES = ['ROLLUP_PRIVATE_KEY', 'PRIVATE_KEY'] as const;

export function transferCommand(cli: Cli, connect: Connections) {
  return withSubmit(TRANSFER_VARIABLES)(
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
      submit({ title: 'Transfer', keyVariables: TRANSFER_VARIABLES, options, cli, connect }, async () => {
        return {
          kind: 'transfer',
          to: addressArgument('address', address, options.prefix),
          amount: options.amount,
          asset: denomArgument('--asset', options.asset),
          feeAsset: denomArgument('--fee-asset', options.feeAsset),
        };
      }),
    );
}

export function textCommand(cli: Cli, connect: Connections) {
  return withSubmit(KEY_VARIABLES)(
    leaf('text', 'post a text; it costs 1 unit of the fee asset', '"hello" alice --private-key-file alice.key'),
  )
    .argument('<text>', 'what to say: 1 to 2,000 bytes of UTF-8')
    .argument('<username>', 'the name shown with it: 1 to 64 bytes')
    .action((text, username, options) =>
      submit({ title: 'Text Transaction', keyVariables: KEY_VARIABLES, options, cli, connect }, async () => {
        const { MAX_NAME_BYTES, MAX_TEXT_BYTES } = await import('@switchyard/messenger/client/sign');
        sizeBetween('text', text, 1, MAX_TEXT_BYTES);
        sizeBetween('username', username, 1, MAX_NAME_BYTES);
        visible('text', text);
        visible('username', username);
        return { kind: 'sendText', text, name: username, feeAsset: denomArgument('--fee-asset', options.feeAsset) };
      }),
    );
}

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
        const asset = denomArgument('--asset', options.asset);
        const to = addressArgument('address', address, options.prefix);
        const rollupUrl = options.rollupUrl ?? cli.world.env.ROLLUP_URL;
        await mustBePayable('address', address, { ...options, rollupUrl }, cli, connect);
        return { kind: 'withdraw', to, amount: options.amount, asset, memo: options.memo };
      }),
    );
}
