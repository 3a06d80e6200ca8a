import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSecret, wallDate } from '@switchyard/service';
import { object, parseInput, text } from '@switchyard/service/input';
import {
  composerAccount,
  type DevAccount,
  evmSequencerBalances,
  faucetAccount,
  relayerAccount,
  sequencerBalances,
} from './accounts/accounts.ts';
import { evmFaucetAccount } from './accounts/evm-accounts.ts';
import { BadOptions } from './bad-options.ts';
import { chainGenesisFile, validatorKeyFile } from './genesis/genesis-files.ts';
import type { Rollup } from './rollups.ts';

/* Files of a network: `config` has keys and genesis files, and `data` a directory for each part with state. */

export interface FileFacts {
  readonly directory: string;
  readonly chainId: string;
  readonly asset: string;
  readonly rollups: readonly Rollup[];
  /** Bridge account of each rollup, by its name. */
  readonly bridges: ReadonlyMap<string, DevAccount>;
}

/** Units of the sequencer's asset that a bridge account has for the fee that makes it one. */
const BRIDGE_FUNDS = 1_000_000_000n;

export const configOf = (directory: string, name: string): string => join(directory, 'config', name);
/** Key file of the bridge account of a rollup, which is its own withdrawer. */
export const bridgeKeyOf = (rollup: string): string => `${rollup}_bridge_dev_priv_key`;
export const genesisOf = (directory: string, rollup: string): string => configOf(directory, `${rollup}_genesis.json`);

/** A file that a network needs, by its name in `config`. */
interface NetworkFile {
  readonly name: string;
  readonly text: string;
}

/**
 * Genesis files of the rollups: those that the directory has, else new ones.
 *
 * @param kept The directory, where there is one already.
 * @throws {BadOptions} where one cannot be read, or is of another network.
 */
export async function rollupFiles(of: Omit<FileFacts, 'directory'>, kept?: string): Promise<readonly NetworkFile[]> {
  return Promise.all(of.rollups.map((rollup) => rollupFile(rollup, of, kept)));
}

async function rollupFile(
  rollup: Rollup,
  { chainId, asset, bridges }: Omit<FileFacts, 'directory'>,
  kept: string | undefined,
): Promise<NetworkFile> {
  const path = kept === undefined ? undefined : genesisOf(kept, rollup.name);
  const bridge = bridges.get(rollup.name)?.address ?? '';
  const facts = { rollupName: rollup.name, chainId, nativeDenom: asset, bridge };
  const genesis = path !== undefined && existsSync(path) ? readFileSync(path, 'utf8') : rollup.genesis(facts);
  const shown = `genesis of rollup ${rollup.name}`;
  const names = await rollup.read(genesis, shown).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new BadOptions(why.replaceAll('\n', '; '), { cause: error });
  });
  if (names !== undefined && names.rollupName !== rollup.name) {
    throw new BadOptions(`${shown}: expected the rollup name ${rollup.name}, got ${names.rollupName}`);
  }
  if (names !== undefined && names.sequencerChainId !== chainId) {
    throw new BadOptions(`${shown}: expected the sequencer chain id ${chainId}, got ${names.sequencerChainId}`);
  }
  return { name: `${rollup.name}_genesis.json`, text: genesis };
}

/** Writes what the directory does not have. */
export function writeFiles(of: FileFacts, genesisFiles: readonly NetworkFile[]): void {
  const { directory } = of;
  mkdirSync(join(directory, 'config'), { recursive: true, mode: 0o700 });
  const validatorKey = 'priv_validator_key.json';
  write(directory, validatorKey, validatorKeyFile);
  write(directory, 'genesis.json', () => sequencerGenesis(of, readFileSync(configOf(directory, validatorKey), 'utf8')));
  for (const { name, text } of genesisFiles) write(directory, name, () => text);
  const keys = {
    composer_dev_priv_key: composerAccount.key,
    relayer_dev_priv_key: relayerAccount.key,
    faucet_dev_priv_key: evmFaucetAccount.key,
    sequencer_faucet_dev_priv_key: faucetAccount.key,
    messenger_faucet_dev_priv_key: faucetAccount.key,
  };
  for (const [name, key] of Object.entries(keys)) write(directory, name, () => key);
  for (const [rollup, { key }] of of.bridges) write(directory, bridgeKeyOf(rollup), () => key);
  for (const name of ['execution_secret', 'composer_secret']) write(directory, name, newSecret);
}

function write(directory: string, name: string, text: () => string): void {
  const path = configOf(directory, name);
  if (!existsSync(path)) writeFileSync(path, text(), { mode: 0o600, flag: 'wx' });
}

const publicKey = object({ pub_key: object({ value: text }) });

function sequencerGenesis({ chainId, asset, bridges }: FileFacts, validatorKey: string): string {
  const funded = [...bridges.values()].map(({ address }) => ({ address, amount: BRIDGE_FUNDS }));
  return chainGenesisFile({
    ...{ chainId, nativeDenom: asset, time: wallDate() },
    validators: [{ name: 'local', publicKey: publicKey(parseInput(validatorKey, 'validator key')).pubKey.value }],
    accounts: [...sequencerBalances, ...evmSequencerBalances, ...funded],
  });
}
