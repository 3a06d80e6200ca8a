import { Failure, usage } from '@switchyard/service/failure';
import { hashArgument } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connect.ts';
import { withKey } from '../../key-options.ts';
import { nodeForKey, withNode } from './options.ts';

const KEY_VARIABLES = ['ETH_PRIVATE_KEY'] as const;

const HELP = `
A node holds a transaction while one with a lower nonce of its sender is missing. A transaction sent on to the sequencer
cannot be cancelled. The replacement moves nothing and costs 21000 gas once the missing nonces are used.`;

/** `switchyard evm cancel HASH`: a replacement that moves nothing, as wallets cancel. */
export function cancelCommand(cli: Cli, connect: Connections) {
  const command = leaf(
    'cancel',
    'replace a transaction that is held for a missing nonce by an empty one',
    '0x5f3a61… --private-key-file mine.key',
  );
  return withNode(withKey(KEY_VARIABLES)(command))
    .argument('<hash>', 'as eth_sendRawTransaction answered it')
    .addHelpText('after', HELP)
    .action(async (text, options) => {
      const { secretFor } = await import('../../keys.ts');
      const hash = `0x${hashArgument('hash', text)}`;
      const key = await secretFor('secp256k1', options, cli.world, KEY_VARIABLES);
      const node = await nodeForKey(options, key, cli, connect);
      const { status, missing } = await node.transactionStatus(hash);
      if (status !== 'held')
        throw new Failure(`transaction ${hash} is ${String(status)}: only a held one can be cancelled`);
      const { sender, cancellation } = await node.cancellation(hash, key.secret);
      if (cancellation === undefined) {
        throw usage(`the signing key: expected that of ${sender ?? 'the sender'}, who signed ${hash}, got another one`);
      }
      const { nonce, from } = cancellation;
      const by = await node.send(cancellation.raw);
      cli.print({ hash, cancelledBy: by, from, nonce: Number(nonce) }, [
        `cancelled ${hash}`,
        `${by} takes its place at nonce ${nonce} of ${from}, and moves nothing`,
        ...(typeof missing === 'string' && BigInt(missing) < nonce ? [`It waits for nonce ${BigInt(missing)}`] : []),
      ]);
    });
}
