import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { rollupIdBase64Url, rollupIdFromName } from '@switchyard/protocol/values';
import { Failure, usage } from '@switchyard/service/failure';
import { addressArgument, readAmount, sizeBetween, u64Reader } from '../../arguments.ts';
import { type Cli, leaf, type OptionsOf, optionSet } from '../../cli.ts';
import type { Connections } from '../../connect.ts';
import { getSequencer, withAsset, withSigning } from './options.ts';
import { printSigned, sign } from './sign.ts';

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
      const to = addressArgument('to', address, options.prefix);
      const signed = await sign(options, cli, connect, (assets) => ({ kind: 'transfer', to, amount, ...assets }));
      printSigned(cli, 'Transfer', signed, { to: address, amount });
    });
}

export function initBridgeAccountCommand(cli: Cli, connect: Connections) {
  return withAsset(
    leaf(
      'init-bridge-account',
      "make the signer's account the bridge account of a rollup; this cannot be undone",
      '--rollup-name messenger --private-key-file carol.key',
    ),
  )
    .requiredOption(
      '--rollup-name <name>',
      'rollup whose deposits it takes, by its name on the sequencer: config.rollup.chainId of a manifest',
    )
    .option('--sudo-address <address>', 'account that may change the bridge account (default: the signer)')
    .option('--withdrawer-address <address>', 'account that may unlock its funds (default: the signer)')
    .option('--force', 'take the name though a manifest here has another one for the sequencer')
    .action(async ({ rollupName, force, ...options }) => {
      const optional = (flag: string, text: string | undefined) =>
        text === undefined ? undefined : addressArgument(flag, text, options.prefix);
      if (rollupName === '') throw usage('--rollup-name: expected a name, got nothing');
      if (force !== true) await refuseOtherName(rollupName, cli);
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

/** @throws {Failure} for the name that a manifest of this directory has in its objects, if the sequencer has another one. */
async function refuseOtherName(rollupName: string, cli: Cli): Promise<void> {
  const { openManifest, usualName } = await import('../manifest/file.ts');
  const path = resolve(cli.world.directory, usualName(rollupName));
  if (rollupName.includes('/') || !existsSync(path)) return;
  const { name, chainId } = openManifest(path, cli).manifest;
  if (name !== rollupName || chainId === rollupName) return;
  throw usage(
    `--rollup-name: expected ${chainId}, the name of this rollup on the sequencer (config.rollup.chainId in ${path}), got ${rollupName}: deposits to the account would be lost; insist with --force`,
  );
}

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
      const to = addressArgument('to', bridge, options.prefix);
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
 * @throws {Failure} if that is no named rollup, nor a known one with the account.
 */
async function creditedRollup(
  bridge: string,
  { rollupName, force, ...options }: OptionsOf<typeof withRollup>,
  cli: Cli,
  connect: Connections,
): Promise<string> {
  const { rollupsCrediting } = await import('../../dev/networks/crediting.ts');
  const silent = { ...cli, note: () => {} };
  const account = await (await getSequencer(options, silent, connect)).bridgeAccount(bridge);
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

const LONGEST_EVENT_ID = 256;

export function bridgeUnlockCommand(cli: Cli, connect: Connections) {
  return withSigning(
    leaf(
      'bridge-unlock',
      'pay an amount out of a bridge account; only its withdrawer may',
      'astria1yf56efahcq786pe5t7paknat40g6q4tsvqtql2 --amount 100 --bridge-address astria1f6yydwp23ucl6kfxt2gqt9vufgpsl3zvz5hwxk --rollup-block-number 7 --event-id 1 --private-key-file carol.key',
    ),
  )
    .argument('<to>', 'who gets it')
    .requiredOption('--amount <n>', "how much, in the smallest unit of the bridge account's asset", readAmount)
    .requiredOption('--bridge-address <address>', 'the bridge account')
    .requiredOption(
      '--rollup-block-number <n>',
      'the rollup block with the withdrawal',
      u64Reader('--rollup-block-number'),
    )
    .requiredOption('--event-id <id>', 'the withdrawal in that block; each counts once')
    .option('--memo <text>', 'kept with the transaction', '')
    .action(async (address, { amount, rollupBlockNumber, eventId, memo, ...options }) => {
      const to = addressArgument('to', address, options.prefix);
      const bridge = addressArgument('--bridge-address', options.bridgeAddress, options.prefix);
      sizeBetween('--event-id', eventId, 1, LONGEST_EVENT_ID);
      const signed = await sign(options, cli, connect, ({ feeAsset }) => ({
        kind: 'bridgeUnlock',
        to,
        amount,
        feeAsset,
        memo,
        bridge,
        rollupBlockNumber,
        withdrawalEvent: eventId,
      }));
      printSigned(cli, 'BridgeUnlock', signed, { to: address, amount, bridge: options.bridgeAddress, eventId });
    });
}

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
        text === undefined ? undefined : addressArgument(flag, text, options.prefix);
      const bridge = addressArgument('bridge', bridgeAddress, options.prefix);
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
