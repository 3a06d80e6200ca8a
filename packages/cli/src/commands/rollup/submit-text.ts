import { denomOf, sizeBetween, visible } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { withSubmit } from './options.ts';
import { submit } from './submit.ts';

const KEY_VARIABLES = ['ROLLUP_PRIVATE_KEY'] as const;

/** `rollup-cli submit text TEXT USERNAME` */
export function textCommand(cli: Cli, connect: Connections) {
  return withSubmit(KEY_VARIABLES)(
    leaf('text', 'post a text; it costs 1 unit of the fee asset', '"hello" alice --private-key-file alice.key'),
  )
    .argument('<text>', 'what to say: 1 to 2,000 bytes of UTF-8')
    .argument('<username>', 'the name shown with it: 1 to 64 bytes')
    .action((text, username, options) =>
      submit({ title: 'Text Transaction', keyVariables: KEY_VARIABLES, options, cli, connect }, async () => {
        const { MAX_NAME_BYTES, MAX_TEXT_BYTES, signText } = await import('@switchyard/messenger/client/signing');
        sizeBetween('text', text, 1, MAX_TEXT_BYTES);
        sizeBetween('username', username, 1, MAX_NAME_BYTES);
        visible('text', text);
        visible('username', username);
        const { text: feeAsset } = denomOf('--fee-asset', options.feeAsset);
        return ({ nonce, chainId, signer }) => signText({ nonce, chainId, text, from: username, feeAsset }, signer);
      }),
    );
}
