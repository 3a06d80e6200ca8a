import { addressOf, readAmount } from '../../arguments.ts';
import { type Cli, leaf, type OptionsOf, optionSet } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { Failure, usage } from '../../failure.ts';
import { sequencerOf, withAsset } from './options.ts';
import { printSigned, sign } from './sign.ts';

/** `switchyard sequencer bridge-lock TO --amount N --destination-chain-address ADDRESS` */
export function bridgeLockCommand(cli: Cli, connect: Connections) {
  return withRollup(
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
      const rollupID = await creditedRollup(bridge, options, cli, connect);
      const signed = await sign(options, cli, connect, (assets) => ({
        kind: 'bridgeLock',
        to,
        amount,
        destination,
        ...assets,
      }));
      printSigned(cli, 'BridgeLock', signed, { to: bridge, rollupID, amount, destination }, [`Rollup ID: ${rollupID}`]);
    });
}

const withRollup = optionSet((command) =>
  withAsset(command)
    .option('--rollup-name <name>', 'rollup that the deposit is for, by its name on the sequencer')
    .option('--force', 'lock it though the account is of another rollup'),
);

/**
 * Rollup id of a bridge account. Deposits to an account of another rollup are locked for good.
 *
 * @throws {Failure} where that is no rollup that was named, or of those that are known here and name the account.
 */
async function creditedRollup(
  bridge: string,
  { rollupName, force, ...options }: OptionsOf<typeof withRollup>,
  cli: Cli,
  connect: Connections,
): Promise<string> {
  const [{ rollupIdBase64Url, rollupIdFromName }, { rollupsCrediting }] = await Promise.all([
    import('@switchyard/protocol/values'),
    import('../../dev/networks/crediting.ts'),
  ]);
  const silent = { ...cli, note: () => {} };
  const account = await (await sequencerOf(options, silent, connect)).bridgeAccount(bridge);
  if (account === undefined) throw new Failure(`${bridge} is no bridge account: nothing was locked`);
  const id = rollupIdBase64Url(account.rollup);
  // The rollups of an instance are those of its own sequencer.
  const isElsewhere = options.sequencerUrl !== undefined || (cli.world.env.SEQUENCER_URL ?? '') !== '';
  const known = isElsewhere ? [] : await rollupsCrediting(bridge, options, silent);
  const expected = rollupName === undefined ? known : [rollupName];
  if (expected.length === 0 || expected.some((name) => rollupIdFromName(name) === account.rollup)) return id;
  const named = expected.map((name) => `${name} (${rollupIdBase64Url(rollupIdFromName(name))})`).join(' or ');
  const problem = `${bridge} is the bridge account of the rollup id ${id}, expected that of ${named}, which would not get the deposit`;
  if (force !== true) throw new Failure(`${problem}: nothing was locked; insist with --force`);
  cli.note(`note: ${problem}`);
  return id;
}
