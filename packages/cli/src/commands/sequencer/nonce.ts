import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { ACCOUNT_VARIABLE, accountOf, sequencerOf, withSequencer } from './options.ts';

/** `switchyard sequencer nonce get ADDRESS`, and the same as `account nonce ADDRESS`. */
export function nonceCommand(name: string, cli: Cli, connect: Connections) {
  return withSequencer(
    leaf(
      name,
      'show how many transactions of an account are in blocks',
      'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm',
    ),
  )
    .argument('[address]', `whose (default: ${ACCOUNT_VARIABLE})`)
    .action(async (given, options) => {
      const address = await accountOf(given, cli);
      const { nonce, height } = await (await sequencerOf(options, cli, connect)).nonce(address);
      cli.print({ address, nonce, height: Number(height) }, [
        `Nonce for address ${address}`,
        `    ${nonce} at height ${height}`,
      ]);
    });
}
