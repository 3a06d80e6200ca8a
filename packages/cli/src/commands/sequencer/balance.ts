import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { ACCOUNT_VARIABLE, accountOf, sequencerOf, withSequencer } from './options.ts';

/** `switchyard sequencer balance get ADDRESS`, and the same as `account balance ADDRESS`. */
export function balanceCommand(name: string, cli: Cli, connect: Connections) {
  return withSequencer(
    leaf(name, 'show what an account of the sequencer holds', 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm'),
  )
    .argument('[address]', `whose (default: ${ACCOUNT_VARIABLE})`)
    .action(async (given, options) => {
      const address = await accountOf(given, cli);
      const balances = await (await sequencerOf(options, cli, connect)).balances(address);
      const value = balances.map(({ asset, amount }) => ({ denom: asset, balance: amount }));
      cli.print(value, [
        `Balances for address: ${address}`,
        ...(balances.length === 0 ? ['    nothing'] : balances.map(({ asset, amount }) => `    ${amount} ${asset}`)),
      ]);
    });
}
