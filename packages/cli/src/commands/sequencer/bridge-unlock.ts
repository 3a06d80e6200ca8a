import { addressOf, readAmount, sizeBetween, u64Reader } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { withSigning } from './options.ts';
import { printSigned, sign } from './sign.ts';

const LONGEST_EVENT_ID = 256;

/** `switchyard sequencer bridge-unlock TO --amount N ...` */
export function bridgeUnlockCommand(cli: Cli, connect: Connections) {
  return withSigning(
    leaf(
      'bridge-unlock',
      'pay an amount out of a bridge account; only its withdrawer may',
      'astria1yf56efahcq786pe5t7paknat40g6q4tsvqtql2 --amount 100 --bridge-address astria1f6yydwp23ucl6kfxt2gqt9vufgpsl3zvz5hwxk --rollup-block-number 7 --event-id 1 --private-key-file carol.key',
    ),
  )
    .argument('<to>', 'who gets it')
    .requiredOption('--amount <n>', "how much, in the smallest unit of the bridge account's asset", readAmount)
    .requiredOption('--bridge-address <address>', 'the bridge account')
    .requiredOption(
      '--rollup-block-number <n>',
      'the rollup block with the withdrawal',
      u64Reader('--rollup-block-number'),
    )
    .requiredOption('--event-id <id>', 'the withdrawal in that block; each counts once')
    .option('--memo <text>', 'kept with the transaction', '')
    .action(async (address, { amount, rollupBlockNumber, eventId, memo, ...options }) => {
      const to = addressOf('to', address, options.prefix);
      const bridge = addressOf('--bridge-address', options.bridgeAddress, options.prefix);
      sizeBetween('--event-id', eventId, 1, LONGEST_EVENT_ID);
      const signed = await sign(options, cli, connect, ({ feeAsset }) => ({
        kind: 'bridgeUnlock',
        to,
        amount,
        feeAsset,
        memo,
        bridge,
        rollupBlockNumber,
        withdrawalEvent: eventId,
      }));
      printSigned(cli, 'BridgeUnlock', signed, { to: address, amount, bridge: options.bridgeAddress, eventId });
    });
}
