import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSecret, wallDate } from '@switchyard/service';
import { object, parseInput, text } from '@switchyard/service/input';
import {
  alice,
  composerAccount,
  evmSequencerBalances,
  faucetAccount,
  relayerAccount,
  sequencerBalances,
} from './accounts/accounts.ts';
import { type Bridge, toBridgeAccount } from './accounts/bridges.ts';
import { evmFaucetAccount } from './accounts/evm-accounts.ts';
import { BadOptions } from './bad-options.ts';
import { chainGenesisFile, validatorKeyFile } from './genesis/genesis-files.ts';
import { newKey } from './genesis/new-key.ts';
import { toWithdrawer } from './members.ts';
import type { Rollup } from './rollups.ts';

/* Files of a network: `config` has keys and genesis files, and `data` a directory for each part with state. */

export interface FileFacts {
  readonly directory: string;
  readonly chainId: string;
  readonly asset: string;
  readonly rollups: readonly RollupFile[];
  /** Decides the key of the validator. */
  readonly seed?: string | undefined;
}

/** The genesis of a rollup, and the bridge accounts that it names. */
export interface RollupFile {
  readonly name: string;
  readonly text: string;
  readonly bridges: readonly [Bridge, ...Bridge[]];
}

/** Units of the sequencer's asset that a bridge account has for its fees. */
const BRIDGE_FUNDS = 1_000_000_000n;
/** Units of each other asset that alice has for deposits. */
const ASSET_FUNDS = 1_000_000_000_000_000_000n;

export const getConfig = (directory: string, name: string): string => join(directory, 'config', name);
/** Key file of a bridge account, which is its own withdrawer. @param withdrawer Name of the part that pays from it. */
export const toWithdrawerKey = (withdrawer: string): string => `${withdrawer}_dev_priv_key`;
export const getGenesis = (directory: string, rollup: string): string => getConfig(directory, `${rollup}_genesis.json`);

/**
 * Genesis of a rollup: that which the directory has, else a new one. It has the bridge accounts that it asks for; without any, the network
 * has that of its asset.
 *
 * @param kept The directory, if there is one already.
 * @throws {BadOptions} if it cannot be read, or is of another network.
 */
export async function rollupFile(
  rollup: Rollup,
  { chainId, asset: nativeDenom }: Pick<FileFacts, 'chainId' | 'asset'>,
  kept?: string,
): Promise<RollupFile> {
  const { name } = rollup;
  const wanted = new Map<string, Bridge>();
  const bridgeOf = (asset: string): string => {
    const account = toBridgeAccount(name, asset === nativeDenom ? undefined : asset);
    wanted.set(asset, { ...account, asset });
    return account.address;
  };
  const made = rollup.genesis({
    ...{ rollupName: name, chainId, nativeDenom, getBridge: bridgeOf },
    get bridge() {
      return bridgeOf(nativeDenom);
    },
  });
  const path = kept === undefined ? undefined : getGenesis(kept, name);
  const text = path !== undefined && existsSync(path) ? readFileSync(path, 'utf8') : made;
  const shown = `genesis of rollup ${name}`;
  const names = await rollup.read(text, shown).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new BadOptions(why.replaceAll('\n', '; '), { cause: error });
  });
  if (names !== undefined && names.rollupName !== name)
    throw new BadOptions(`${shown}: expected the rollup name ${name}, got ${names.rollupName}`);
  if (names !== undefined && names.sequencerChainId !== chainId)
    throw new BadOptions(`${shown}: expected the sequencer chain id ${chainId}, got ${names.sequencerChainId}`);
  const [first = { ...toBridgeAccount(name), asset: nativeDenom }, ...others] = wanted.values();
  return { name, text, bridges: [first, ...others] };
}

/** Writes the files that the directory lacks. */
export function writeFiles(item: FileFacts): void {
  const { directory, rollups, seed } = item;
  mkdirSync(join(directory, 'config'), { recursive: true, mode: 0o700 });
  const validatorKey = 'priv_validator_key.json';
  write(directory, validatorKey, () =>
    validatorKeyFile(seed === undefined ? newKey() : newKey(createHash('sha256').update(`validator ${seed}`).digest())),
  );
  write(directory, 'genesis.json', () =>
    sequencerGenesis(item, readFileSync(getConfig(directory, validatorKey), 'utf8')),
  );
  const keys = {
    composer_dev_priv_key: composerAccount.key,
    relayer_dev_priv_key: relayerAccount.key,
    faucet_dev_priv_key: evmFaucetAccount.key,
    sequencer_faucet_dev_priv_key: faucetAccount.key,
    messenger_faucet_dev_priv_key: faucetAccount.key,
  };
  for (const [name, key] of Object.entries(keys)) write(directory, name, () => key);
  for (const { name, text, bridges } of rollups) {
    write(directory, `${name}_genesis.json`, () => text);
    for (const [place, { key }] of bridges.entries())
      write(directory, toWithdrawerKey(toWithdrawer(name, place)), () => key);
  }
  for (const name of ['execution_secret', 'composer_secret']) write(directory, name, newSecret);
}

function write(directory: string, name: string, text: () => string): void {
  const path = getConfig(directory, name);
  if (!existsSync(path)) writeFileSync(path, text(), { mode: 0o600, flag: 'wx' });
}

const publicKey = object({ pub_key: object({ value: text }) });

function sequencerGenesis({ chainId, asset, rollups }: FileFacts, validatorKey: string): string {
  const bridges = rollups.flatMap((rollup) => rollup.bridges);
  const funded = bridges.map(({ address }) => ({ address, amount: BRIDGE_FUNDS }));
  const others = new Set(bridges.map((bridge) => bridge.asset));
  others.delete(asset);
  return chainGenesisFile({
    ...{ chainId, nativeDenom: asset, time: wallDate() },
    validators: [{ name: 'local', publicKey: publicKey(parseInput(validatorKey, 'validator key')).pubKey.value }],
    accounts: [
      ...[...sequencerBalances, ...evmSequencerBalances, ...funded],
      ...Array.from(others, (each) => ({ address: alice.address, asset: each, amount: ASSET_FUNDS })),
    ],
  });
}
