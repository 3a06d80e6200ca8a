import { rollupIdBase64Url } from '@switchyard/protocol/values';
import { Failure } from '@switchyard/service/failure';
import { addressArgument, u64Reader } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connect.ts';
import { columns, count, jsonText } from '../../print.ts';
import { ACCOUNT_VARIABLE, getAccount, getSequencer, withSequencer } from './options.ts';

/** `switchyard sequencer balance get ADDRESS`, and the same as `account balance ADDRESS`. */
export function balanceCommand(name: string, cli: Cli, connect: Connections) {
  return withSequencer(
    leaf(name, 'show what an account of the sequencer holds', 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm'),
  )
    .argument('[address]', `whose (default: ${ACCOUNT_VARIABLE})`)
    .action(async (given, options) => {
      const address = await getAccount(given, cli);
      const balances = await (await getSequencer(options, cli, connect)).balances(address);
      const value = balances.map(({ asset, amount }) => ({ denom: asset, balance: amount }));
      cli.print(value, [
        `Balances for address: ${address}`,
        ...(balances.length === 0 ? ['    nothing'] : balances.map(({ asset, amount }) => `    ${amount} ${asset}`)),
      ]);
    });
}

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
      const address = await getAccount(given, cli);
      const { nonce, height } = await (await getSequencer(options, cli, connect)).nonce(address);
      cli.print({ address, nonce, height: Number(height) }, [
        `Nonce for address ${address}`,
        `    ${nonce} at height ${height}`,
      ]);
    });
}

export function blockheightCommand(cli: Cli, connect: Connections) {
  return withSequencer(leaf('get', "show the height of the sequencer's newest block", '', '--instance chat')).action(
    async (options) => {
      const height = await (await getSequencer(options, cli, connect)).height();
      cli.print({ blockheight: Number(height) }, ['Block Height:', `    ${height}`]);
    },
  );
}

/** `switchyard sequencer block get [HEIGHT]`: JSON in both modes, as in the reference. */
export function blockCommand(cli: Cli, connect: Connections) {
  return withSequencer(leaf('get', "show a block of the sequencer, as CometBFT's RPC has it", '', '100'))
    .argument('[height]', 'which (default: the newest)', u64Reader('height'))
    .action(async (height, options) => {
      const block = await (await getSequencer(options, cli, connect)).block(height);
      cli.print(block, jsonText(block));
    });
}

export function feeAssetsCommand(cli: Cli, connect: Connections) {
  return withSequencer(leaf('get', 'show the assets that pay fees', '')).action(async (options) => {
    const assets = await (await getSequencer(options, cli, connect)).allowedFeeAssets();
    cli.print(assets, ['Allowed fee assets:', ...assets.map((asset) => `    ${asset}`)]);
  });
}

export function bridgeAccountCommand(cli: Cli, connect: Connections) {
  return withSequencer(
    leaf('get', 'show rollup, asset and owners of a bridge account', 'astria1f6yydwp23ucl6kfxt2gqt9vufgpsl3zvz5hwxk'),
  )
    .argument('<address>', 'the bridge account')
    .action(async (address, options) => {
      addressArgument('address', address);
      const account = await (await getSequencer(options, cli, connect)).bridgeAccount(address);
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

/** `switchyard sequencer validators`: who votes on blocks, and with which share. */
export function validatorsCommand(cli: Cli, connect: Connections) {
  return withSequencer(
    leaf('validators', 'show who signs blocks, by address, power and key', '', '--height 100 --json'),
  )
    .option('--height <height>', 'validators of this block (default: the newest)', u64Reader('--height'))
    .action(async ({ height, ...options }) => {
      const set = await (await getSequencer(options, cli, connect)).validators(height);
      const total = set.reduce((sum, { power }) => sum + power, 0n);
      const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex').toUpperCase();
      const validators = set.map(({ address, power, publicKey }) => ({
        address: hex(address),
        power,
        publicKey: Buffer.from(publicKey).toString('base64'),
      }));
      const share = (power: bigint) => `${(Number((power * 10_000n) / (total || 1n)) / 100).toFixed(2)} %`;
      cli.print({ ...(height === undefined ? {} : { height }), totalPower: total, validators }, [
        `${count(set.length, 'validator')}, power ${total} in all; a block needs more than two thirds of it`,
        ...columns(
          validators.map(({ address, power, publicKey }) => [
            `  ${address}`,
            `power ${power}`,
            share(power),
            publicKey,
          ]),
        ),
      ]);
    });
}
