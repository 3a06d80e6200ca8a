import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { tried, usage } from '@switchyard/service/failure';
import { quoted } from '@switchyard/storage/damaged';

/** Places of the files of an instance. Nothing outside `directory` is ever written. */
export type InstancePaths = Readonly<ReturnType<typeof instancePaths>>;

/** The root of all instances: the flag, else `SWITCHYARD_HOME`, else `~/.switchyard`. */
export function homeDirectory(flag: string | undefined, env: NodeJS.ProcessEnv): string {
  const chosen = flag ?? env.SWITCHYARD_HOME;
  if (chosen === undefined || chosen === '') return join(homedir(), '.switchyard');
  return resolve(chosen.replace(/^~(?=$|\/)/, homedir()));
}

/** The options by which any command finds an instance, ready for a shell. */
export function instanceArguments({ name, home }: Pick<InstancePaths, 'name' | 'home'>): string {
  return ` --instance ${name}${homeArgument(home)}`;
}

/** Options for the shell, except options that the usual instance and home make unnecessary. */
export function argumentsBeyondUsual({ name, home }: Pick<InstancePaths, 'name' | 'home'>): string {
  return `${name === 'default' ? '' : ` --instance ${name}`}${homeArgument(home)}`;
}

function homeArgument(home: string): string {
  return home === homeDirectory(undefined, {}) ? '' : ` --home ${quoted(home)}`;
}

/** Names become directory names, so they are limited to names valid everywhere. */
const NAME = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
/** Completes the phrase "expected ...". */
export const NAME_RULE = 'lower-case letters, digits and inner dashes, at most 50';

/** Whether something can name an instance or a network. */
export function isName(name: string): boolean {
  return NAME.test(name) && name.length <= 50;
}

/** The instances that were made below a root; none if that cannot be read. */
export function instanceNames(home: string): string[] {
  const names = tried(Error, [], () => readdirSync(home));
  return names.filter((name) => isName(name) && existsSync(join(home, name, 'networks-config.toml')));
}

/** @throws {Failure} when `name` cannot name an instance. */
export function instancePaths(home: string, name: string) {
  if (!isName(name)) {
    throw usage(`instance name: expected ${NAME_RULE}, got ${JSON.stringify(name.slice(0, 80))}`);
  }
  const directory = join(home, name);
  const config = join(directory, 'config');
  return {
    name,
    home,
    directory,
    networks: join(directory, 'networks-config.toml'),
    config,
    base: join(config, 'base-config.toml'),
    sequencerGenesis: join(config, 'genesis.json'),
    rollupGenesis: join(config, 'rollup_genesis.json'),
    evmGenesis: join(config, 'evm_genesis.json'),
    validatorKey: join(config, 'priv_validator_key.json'),
    composerKey: join(config, 'composer_dev_priv_key'),
    relayerKey: join(config, 'relayer_dev_priv_key'),
    withdrawerKey: join(config, 'withdrawer_dev_priv_key'),
    evmWithdrawerKey: join(config, 'evm_withdrawer_dev_priv_key'),
    faucetKey: join(config, 'faucet_dev_priv_key'),
    sequencerFaucetKey: join(config, 'sequencer_faucet_dev_priv_key'),
    messengerFaucetKey: join(config, 'messenger_faucet_dev_priv_key'),
    /** Secrets that conductors present to rollups, and rollups to the composer. */
    executionSecret: join(config, 'execution_secret'),
    composerSecret: join(config, 'composer_secret'),
    data: join(directory, 'data'),
    logs: join(directory, 'logs'),
    /** Downloaded programs. */
    bin: join(directory, 'bin'),
    /** Which `dev run` holds the instance, and its services. Absent while nothing runs. */
    run: join(directory, 'run.json'),
  };
}
