import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { Failure, usage } from '../failure.ts';
import { composerAccount } from './accounts.ts';
import { baseFile } from './base-file.ts';
import { checkName, nativeDenomOf } from './config/values.ts';
import { makeDirectory, parseJson, readText, writeNewFile } from './files.ts';
import { rollupGenesisFile, sequencerGenesisFile, validatorKeyFile } from './genesis-files.ts';
import type { InstancePaths } from './home.ts';
import { type NetworkDefaults, networksFile } from './networks-file.ts';
import { MAX_OFFSET, PORTS } from './ports.ts';
import { lowerKeys, readToml, valueAt } from './toml.ts';

/** What the user asked for; what is left open is taken from the files that are there, else from the defaults. */
export interface InitOptions {
  readonly chainId?: string | undefined;
  readonly rollupName?: string | undefined;
  readonly nativeDenom?: string | undefined;
  readonly portOffset?: number | undefined;
}

export interface InitReport {
  readonly written: readonly string[];
  readonly kept: readonly string[];
  /** Flags that have no effect, because the file they belong to was there already. */
  readonly ignored: readonly string[];
}

const DEFAULTS: NetworkDefaults = {
  chainId: 'sequencer-test-chain-0',
  rollupName: 'messenger',
  nativeDenom: 'ntia',
  offset: 0,
};

/**
 * Makes an instance that runs as it is. Writes only files that are absent, so repeating it is safe and mends an
 * instance that lacks some.
 *
 * @throws {Failure} on a value that cannot be used, before anything is written, and when a file cannot be written.
 */
export function initInstance(paths: InstancePaths, options: InitOptions, now = new Date()): InitReport {
  checkOptions(options);
  const present = existing(paths);
  const settings: NetworkDefaults = {
    chainId: present.chainId ?? options.chainId ?? DEFAULTS.chainId,
    rollupName: present.rollupName ?? options.rollupName ?? DEFAULTS.rollupName,
    nativeDenom: present.nativeDenom ?? options.nativeDenom?.toLowerCase() ?? DEFAULTS.nativeDenom,
    offset: present.offset ?? options.portOffset ?? DEFAULTS.offset,
  };
  if (existsSync(paths.sequencerGenesis) && !existsSync(paths.validatorKey)) {
    throw new Failure(
      `${paths.validatorKey}: is absent, and ${paths.sequencerGenesis} names the validator it belonged to: put it back, or delete the genesis too and run \`switchyard dev reset state --instance ${paths.name}\``,
    );
  }
  const written: string[] = [];
  const kept: string[] = [];
  const write = (path: string, text: () => string, mode: number) => {
    if (existsSync(path)) kept.push(relative(paths.directory, path));
    else {
      writeNewFile(path, text(), mode);
      written.push(relative(paths.directory, path));
    }
  };
  for (const directory of [paths.config, paths.data, paths.logs]) makeDirectory(directory);
  write(paths.networks, () => networksFile(settings), 0o644);
  write(paths.base, () => baseFile(settings), 0o644);
  write(paths.rollupGenesis, () => rollupGenesisFile(settings.rollupName), 0o644);
  write(paths.validatorKey, validatorKeyFile, 0o600);
  const genesis = () =>
    sequencerGenesisFile({ ...settings, validatorPublicKey: validatorPublicKey(paths.validatorKey), time: now });
  write(paths.sequencerGenesis, genesis, 0o644);
  write(paths.composerKey, () => composerAccount.key, 0o600);
  return { written, kept, ignored: ignoredFlags(options, settings) };
}

/** What an earlier `dev init` decided, read back so that a file written now agrees with the others. */
function existing(paths: InstancePaths): Partial<NetworkDefaults> {
  if (!existsSync(paths.networks)) return {};
  const local = valueAt(lowerKeys(readToml(paths.networks), paths.networks, ['env']), ['networks', 'local']);
  const text = (key: string) => {
    const value = valueAt(local, [key]);
    return typeof value === 'string' ? { value } : undefined;
  };
  const port = Number(/:(\d+)\/?$/.exec(text('sequencer_rpc')?.value ?? '')?.[1]);
  const offset = port - PORTS.sequencerRpc;
  return {
    ...optional('chainId', text('sequencer_chain_id')?.value),
    ...optional('rollupName', text('rollup_name')?.value),
    ...optional('nativeDenom', text('native_denom')?.value),
    ...(offset >= 0 && offset <= MAX_OFFSET ? { offset } : {}),
  };
}

function optional(key: keyof NetworkDefaults, value: string | undefined): Partial<NetworkDefaults> {
  return value === undefined ? {} : { [key]: value };
}

function ignoredFlags(options: InitOptions, settings: NetworkDefaults): string[] {
  const pairs = [
    ['--local-network-name', options.chainId, settings.chainId],
    ['--rollup-name', options.rollupName, settings.rollupName],
    ['--local-native-denom', options.nativeDenom, settings.nativeDenom],
    ['--port-offset', options.portOffset, settings.offset],
  ] as const;
  return pairs.flatMap(([flag, asked, used]) =>
    asked !== undefined && asked !== used ? [`${flag} ${asked}: the instance has ${used} and keeps it`] : [],
  );
}

function checkOptions({ chainId, rollupName, nativeDenom, portOffset }: InitOptions): void {
  if (chainId !== undefined) checkName('--local-network-name', chainId);
  if (rollupName !== undefined) checkName('--rollup-name', rollupName);
  if (nativeDenom !== undefined) nativeDenomOf('--local-native-denom', nativeDenom);
  if (portOffset !== undefined && !(Number.isInteger(portOffset) && portOffset >= 0 && portOffset <= MAX_OFFSET)) {
    throw usage(`--port-offset: expected a whole number from 0 to ${MAX_OFFSET}, got ${portOffset}`);
  }
}

function validatorPublicKey(path: string): string {
  const value = valueAt(parseJson(readText(path), path), ['pub_key', 'value']);
  if (typeof value !== 'string' || Buffer.from(value, 'base64').length !== 32) {
    throw new Failure(`${path}: pub_key.value: expected 32 bytes in base64`);
  }
  return value;
}
