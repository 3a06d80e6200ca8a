import { addressOf, readAmount } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { withAsset } from './options.ts';
import { printSigned, sign } from './sign.ts';

/** `switchyard sequencer transfer TO --amount N` */
export function transferCommand(cli: Cli, connect: Connections) {
  return withAsset(
    leaf(
      'transfer',
      'send an amount to another account of the sequencer',
      'astria1yf56efahcq786pe5t7paknat40g6q4tsvqtql2 --amount 100 --private-key-file alice.key',
    ),
  )
    .argument('<to>', 'who gets it')
    .requiredOption('--amount <n>', "how much, in the asset's smallest unit", readAmount)
    .action(async (address, { amount, ...options }) => {
      const to = addressOf('to', address, options.prefix);
      const signed = await sign(options, cli, connect, (assets) => ({ kind: 'transfer', to, amount, ...assets }));
      printSigned(cli, 'Transfer', signed, { to: address, amount });
    });
}
