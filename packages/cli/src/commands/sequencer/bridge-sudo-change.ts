import { addressOf } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { usage } from '../../failure.ts';
import { withSigning } from './options.ts';
import { printSigned, sign } from './sign.ts';

/** `switchyard sequencer bridge-sudo-change BRIDGE --new-withdrawer-address ADDRESS` */
export function bridgeSudoChangeCommand(cli: Cli, connect: Connections) {
  return withSigning(
    leaf(
      'bridge-sudo-change',
      'give a bridge account another withdrawer, or another account that may change it; only that one may',
      'astria1f6yydwp23ucl6kfxt2gqt9vufgpsl3zvz5hwxk --new-withdrawer-address astria1yf56efahcq786pe5t7paknat40g6q4tsvqtql2 --private-key-file sudo.key',
    ),
  )
    .argument('<bridge>', 'the bridge account')
    .option('--new-sudo-address <address>', 'account that may change it from now on')
    .option('--new-withdrawer-address <address>', 'account that may pay out of it from now on')
    .option('--disable-deposits', 'it takes no deposits from now on; without this option it takes them')
    .action(async (bridgeAddress, { newSudoAddress, newWithdrawerAddress, disableDeposits = false, ...options }) => {
      const optional = (flag: string, text: string | undefined) =>
        text === undefined ? undefined : addressOf(flag, text, options.prefix);
      const bridge = addressOf('bridge', bridgeAddress, options.prefix);
      const newSudo = optional('--new-sudo-address', newSudoAddress);
      const newWithdrawer = optional('--new-withdrawer-address', newWithdrawerAddress);
      if (newSudo === undefined && newWithdrawer === undefined && !disableDeposits)
        throw usage('expected --new-withdrawer-address, --new-sudo-address or --disable-deposits, got none of them');
      const signed = await sign(options, cli, connect, ({ feeAsset }) => ({
        ...{ kind: 'bridgeSudoChange', bridge, newSudo, newWithdrawer, feeAsset, disableDeposits },
      }));
      printSigned(cli, 'BridgeSudoChange', signed, {
        bridge: bridgeAddress,
        ...(newSudoAddress !== undefined && { sudo: newSudoAddress }),
        ...(newWithdrawerAddress !== undefined && { withdrawer: newWithdrawerAddress }),
      });
    });
}
