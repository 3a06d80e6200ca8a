import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { carol, composerAccount, dave, faucetAccount, relayerAccount } from '@switchyard/network/accounts';
import { evmFaucetAccount } from '@switchyard/network/evm-accounts';
import { validatorKeyFile } from '@switchyard/network/genesis';
import { wallDate } from '@switchyard/service';
import { Failure } from '../../failure.ts';
import { makeCelestiaKeys, peerIdIn } from '../celestia/keys.ts';
import { celestiaPaths } from '../celestia/layout.ts';
import { makeDirectory, writeNewFile } from '../files/files.ts';
import { type InstancePaths, instanceArguments } from '../instance/home.ts';
import { secretText } from '../instance/secrets.ts';
import { addRollups, missing, requireFreeLabels } from './add-rollup.ts';
import { genesisFilesOf, recordGenesis, renewDerivedGenesis } from './genesis-at-start.ts';
import { baseFile } from './network-text.ts';
import { localNetwork, networksFile } from './networks-file.ts';
import { checkNames, type InitOptions, type InstanceSettings, ignoredFlags, joined, settingsFor } from './settings.ts';
import { hasEvm, hasMessenger, type Template, templateOf } from './templates.ts';

export type { InitOptions } from './settings.ts';

export interface InitReport {
  /** The rollups of the instance. */
  readonly template: Template;
  /** Offset of its ports. */
  readonly offset: number;
  /** Rollups that were added to an existing instance. */
  readonly added: readonly string[];
  readonly written: readonly string[];
  readonly kept: readonly string[];
  /** Flags that have no effect, because the file they belong to was there already. */
  readonly ignored: readonly string[];
}

/**
 * Makes an instance that runs as it is. Writes only files that are absent, so repeating it is safe and completes an
 * instance that lacks some; rollups of the template that the instance does not have are added.
 *
 * @throws {Failure} on a value that cannot be used, before anything is written, and when a file cannot be written.
 */
export function initInstance(paths: InstancePaths, options: InitOptions, now = wallDate()): InitReport {
  const present = settingsFor(paths, options);
  const added = existsSync(paths.networks)
    ? missing(present.template, templateOf(options.template) ?? 'empty')
    : 'empty';
  const settings = withAdded(present, added, options);
  if (existsSync(paths.sequencerGenesis) && !existsSync(paths.validatorKey)) {
    throw new Failure(
      `${paths.validatorKey}: is absent, and ${paths.sequencerGenesis} names the validator it belonged to: put it back, or delete the genesis too and run \`switchyard dev reset state${instanceArguments(paths)}\``,
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
  if (added !== 'empty') requireFreeLabels(paths, added);
  // Before the first block, the sequencer's genesis gets the accounts that go with the new rollup.
  if (added !== 'empty') renewDerivedGenesis(paths, settings, now);
  if (added !== 'empty') addRollups(paths, settings, added);
  if (settings.layer === 'celestia') written.push(...makeCelestiaKeys(paths));
  write(paths.networks, () => networksTextOf(paths, settings), 0o644);
  write(paths.base, () => baseFile(localNetwork(settings)), 0o644);
  write(paths.validatorKey, validatorKeyFile, 0o600);
  for (const { path, text } of genesisFilesOf(paths, settings, now)) write(path, text, 0o644);
  for (const { path, key } of keysOf(paths, settings)) write(path, () => key, 0o600);
  recordGenesis(paths);
  const rollups = added === 'empty' ? [] : added.split(',');
  return {
    written,
    kept,
    added: rollups,
    template: settings.template,
    offset: settings.offset,
    ignored: ignoredFlags(options, settings),
  };
}

/** The text of `networks-config.toml`; of a Celestia network, the keys have to be there. @throws {Failure} */
export function networksTextOf(paths: InstancePaths, settings: InstanceSettings): string {
  return networksFile(settings, settings.layer === 'celestia' ? peerIdIn(celestiaPaths(paths).bridgeKey) : undefined);
}

/** @throws {Failure} when the rollups cannot be called what they would be. */
function withAdded(present: InstanceSettings, added: Template, { skips }: InitOptions): InstanceSettings {
  if (added === 'empty') return present;
  const template = joined(present.template, added);
  const settings = {
    ...present,
    template,
    ...(present.template === 'evm' ? { evmIsFirst: true } : {}),
    ...(skips === undefined ? {} : { skips }),
  };
  checkNames(settings);
  return settings;
}

/**
 * The key files of an instance besides the validator's: published keys, for which the genesis files have funds, and
 * secrets that its services share.
 */
export function keysOf(
  paths: InstancePaths,
  { template, layer }: Pick<InstanceSettings, 'template' | 'layer'>,
): readonly { readonly path: string; readonly key: string }[] {
  return [
    { path: paths.composerKey, key: composerAccount.key },
    { path: paths.executionSecret, key: secretText() },
    { path: paths.composerSecret, key: secretText() },
    ...(layer === 'local' ? [{ path: paths.relayerKey, key: relayerAccount.key }] : []),
    ...(hasEvm(template)
      ? [
          { path: paths.evmWithdrawerKey, key: dave.key },
          { path: paths.faucetKey, key: evmFaucetAccount.key },
          { path: paths.sequencerFaucetKey, key: faucetAccount.key },
        ]
      : []),
    ...(hasMessenger(template)
      ? [
          // The bridge accounts are their own withdrawers.
          { path: paths.withdrawerKey, key: carol.key },
          { path: paths.messengerFaucetKey, key: faucetAccount.key },
        ]
      : []),
  ];
}
