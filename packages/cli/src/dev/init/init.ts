import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { wallDate } from '@switchyard/service';
import { Failure } from '../../failure.ts';
import { composerAccount, sequencerFaucetAccount } from '../accounts/accounts.ts';
import { evmFaucetAccount } from '../accounts/evm-accounts.ts';
import { makeDirectory, writeNewFile } from '../files/files.ts';
import type { InstancePaths } from '../instance/home.ts';
import { secretText } from '../instance/secrets.ts';
import { baseFile } from './base-file.ts';
import { genesisFilesOf, recordGenesis } from './genesis-at-start.ts';
import { validatorKeyFile } from './genesis-files.ts';
import { networksFile } from './networks-file.ts';
import { type InitOptions, ignoredFlags, settingsFor } from './settings.ts';
import { hasEvm, type Template } from './templates.ts';

export type { InitOptions } from './settings.ts';

export interface InitReport {
  readonly written: readonly string[];
  readonly kept: readonly string[];
  /** Flags that have no effect, because the file they belong to was there already. */
  readonly ignored: readonly string[];
}

/**
 * Makes an instance that runs as it is. Writes only files that are absent, so repeating it is safe and completes an
 * instance that lacks some.
 *
 * @throws {Failure} on a value that cannot be used, before anything is written, and when a file cannot be written.
 */
export function initInstance(paths: InstancePaths, options: InitOptions, now = wallDate()): InitReport {
  const settings = settingsFor(paths, options);
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
  write(paths.validatorKey, validatorKeyFile, 0o600);
  for (const { path, text } of genesisFilesOf(paths, settings, now)) write(path, text, 0o644);
  for (const { path, key } of keysOf(paths, settings.template)) write(path, () => key, 0o600);
  recordGenesis(paths);
  return { written, kept, ignored: ignoredFlags(options, settings) };
}

/**
 * The key files of an instance besides the validator's: published keys, for which the genesis files have funds, and
 * secrets that its services share.
 */
export function keysOf(
  paths: InstancePaths,
  template: Template,
): readonly { readonly path: string; readonly key: string }[] {
  return [
    { path: paths.composerKey, key: composerAccount.key },
    { path: paths.executionSecret, key: secretText() },
    { path: paths.composerSecret, key: secretText() },
    ...(hasEvm(template)
      ? [
          { path: paths.faucetKey, key: evmFaucetAccount.key },
          { path: paths.sequencerFaucetKey, key: sequencerFaucetAccount.key },
        ]
      : []),
  ];
}
