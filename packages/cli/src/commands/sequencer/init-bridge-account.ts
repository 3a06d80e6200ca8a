import { addressOf } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { usage } from '../../failure.ts';
import { withAsset } from './options.ts';
import { printSigned, sign } from './sign.ts';

/** `switchyard sequencer init-bridge-account --rollup-name NAME` */
export function initBridgeAccountCommand(cli: Cli, connect: Connections) {
  return withAsset(
    leaf(
      'init-bridge-account',
      "make the signer's account the bridge account of a rollup; this cannot be undone",
      '--rollup-name messenger --private-key-file carol.key',
    ),
  )
    .requiredOption('--rollup-name <name>', 'whose deposits it takes')
    .option('--sudo-address <address>', 'account that may change the bridge account (default: the signer)')
    .option('--withdrawer-address <address>', 'account that may unlock its funds (default: the signer)')
    .action(async ({ rollupName, ...options }) => {
      const { rollupIdBase64Url, rollupIdFromName } = await import('@switchyard/protocol/values');
      const optional = (flag: string, text: string | undefined) =>
        text === undefined ? undefined : addressOf(flag, text, options.prefix);
      if (rollupName === '') throw usage('--rollup-name: expected a name, got nothing');
      const rollup = rollupIdFromName(rollupName);
      const sudo = optional('--sudo-address', options.sudoAddress);
      const withdrawer = optional('--withdrawer-address', options.withdrawerAddress);
      const signed = await sign(options, cli, connect, (assets) => ({
        kind: 'initBridgeAccount',
        rollup,
        sudo,
        withdrawer,
        ...assets,
      }));
      const rollupID = rollupIdBase64Url(rollup);
      printSigned(cli, 'InitBridgeAccount', signed, { rollupName, rollupID }, [
        `Rollup name: ${rollupName}`,
        `Rollup ID: ${rollupID}`,
      ]);
    });
}
