import { addressOf } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { Failure } from '../../failure.ts';
import { sequencerOf, withSequencer } from './options.ts';

/** `switchyard sequencer bridge-account get ADDRESS` */
export function bridgeAccountCommand(cli: Cli, connect: Connections) {
  return withSequencer(
    leaf('get', 'show rollup, asset and owners of a bridge account', 'astria1f6yydwp23ucl6kfxt2gqt9vufgpsl3zvz5hwxk'),
  )
    .argument('<address>', 'the bridge account')
    .action(async (address, options) => {
      const { rollupIdBase64Url } = await import('@switchyard/protocol/values');
      addressOf('address', address);
      const account = await (await sequencerOf(options, cli, connect)).bridgeAccount(address);
      if (account === undefined) throw new Failure(`${address} is no bridge account`);
      const { rollup, asset, sudo, withdrawer } = account;
      const rollupID = rollupIdBase64Url(rollup);
      cli.print({ address, rollupID, asset, sudo, withdrawer }, [
        `Bridge account ${address}`,
        `    Rollup Id: ${rollupID}`,
        `    Asset: ${asset}`,
        `    Sudo Address: ${sudo}`,
        `    Withdrawer Address: ${withdrawer}`,
      ]);
    });
}
