import { addressOf, readAmount } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { usage } from '../../failure.ts';
import { withAsset } from './options.ts';
import { printSigned, sign } from './sign.ts';

/** `switchyard sequencer bridge-lock TO --amount N --destination-chain-address ADDRESS` */
export function bridgeLockCommand(cli: Cli, connect: Connections) {
  return withAsset(
    leaf(
      'bridge-lock',
      "deposit an amount to a rollup: lock it in the rollup's bridge account",
      'astria1f6yydwp23ucl6kfxt2gqt9vufgpsl3zvz5hwxk --amount 100 --destination-chain-address astria1yf56efahcq786pe5t7paknat40g6q4tsvqtql2 --private-key-file alice.key',
    ),
  )
    .argument('<to>', 'the bridge account')
    .requiredOption('--amount <n>', "how much, in the asset's smallest unit", readAmount)
    .requiredOption('--destination-chain-address <address>', 'who gets it on the rollup, in the form of that rollup')
    .action(async (bridge, { amount, destinationChainAddress: destination, ...options }) => {
      const to = addressOf('to', bridge, options.prefix);
      if (destination === '') throw usage('--destination-chain-address: expected an address, got nothing');
      const signed = await sign(options, cli, connect, (assets) => ({
        kind: 'bridgeLock',
        to,
        amount,
        destination,
        ...assets,
      }));
      printSigned(cli, 'BridgeLock', signed, { to: bridge, amount, destination });
    });
}
