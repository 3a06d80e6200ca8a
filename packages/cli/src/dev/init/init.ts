import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { carol, composerAccount, dave, faucetAccount, relayerAccount } from '@switchyard/network/accounts';
import { evmFaucetAccount } from '@switchyard/network/evm-accounts';
import { validatorKeyFile } from '@switchyard/network/genesis';
import { wallDate } from '@switchyard/service';
import { Failure } from '../../failure.ts';
import { makeCelestiaKeys, peerIdIn } from '../celestia/keys.ts';
import { celestiaPaths } from '../celestia/layout.ts';
import { makeDirectory, readText, replaceFiles, writeNewFile } from '../files/files.ts';
import { isTable, lowerKeys, parseToml, readToml, valueAt } from '../files/toml.ts';
import { type InstancePaths, instanceArguments } from '../instance/home.ts';
import { secretText } from '../instance/secrets.ts';
import { genesisFilesOf, renewDerivedGenesis } from './genesis-at-start.ts';
import { baseFile, memberTables, onlyAlive, sectionText, sharedSections, withoutKeys } from './network-text.ts';
import { localNetwork, networksFile } from './networks-file.ts';
import { addedMembers } from './new-network.ts';
import { checkNames, type InitOptions, type InstanceSettings, ignoredFlags, joined, settingsFor } from './settings.ts';
import { hasEvm, hasMessenger, type Template, templateFor, templateOf } from './templates.ts';

export type { InitOptions } from './settings.ts';

export type InitReport = Readonly<ReturnType<typeof initInstance>>;

/**
 * Makes an instance that runs as it is. Writes only files that are absent, so repeating it is safe and completes an
 * instance that lacks some; rollups of the template that the instance does not have are added.
 *
 * @throws {Failure} on a value that cannot be used, before anything is written, and when a file cannot be written.
 */
export function initInstance(paths: InstancePaths, options: InitOptions, now = wallDate()) {
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
  const rollups = added === 'empty' ? [] : added.split(',');
  return {
    written,
    kept,
    /** Rollups that were added to an existing instance. */
    added: rollups,
    /** The rollups of the instance. */
    template: settings.template,
    /** Offset of its ports. */
    offset: settings.offset,
    /** Flags that have no effect, because the file they belong to was there already. */
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

/** The rollups of one template that another one lacks. */
function missing(present: Template, wanted: Template): Template {
  return templateFor({
    messenger: hasMessenger(wanted) && !hasMessenger(present),
    evm: hasEvm(wanted) && !hasEvm(present),
  });
}

/**
 * Adds rollups to the network `local`: tables behind those of `networks-config.toml`, and the settings that
 * `base-config.toml` lacks. Every line that is there stays as it is, but for those of a conductor without a rollup, which
 * gets one.
 *
 * @param added Which; `settings` has them already.
 * @throws {Failure} when a file cannot be read or written; then none is changed.
 */
function addRollups(paths: InstancePaths, settings: InstanceSettings, added: Template): void {
  const services = servicesIn(paths);
  // A network without rollups of ours may have one of the user's.
  const conductorIsBusy = settings.template !== added || 'rollup' in services;
  const present = readText(paths.networks);
  const networks = conductorIsBusy ? present : present.replace(onlyAlive(settings.offset), '');
  const local = localNetwork(settings);
  const members = addedMembers(added, { conductorIsBusy, fundsFaucet: fundsFaucet(paths) });
  const tables = memberTables({ ...local, members: [...local.members, ...members] }, local, { members });
  const base = existsSync(paths.base) ? readText(paths.base) : undefined;
  const keys = new Set(base === undefined ? [] : Object.keys(lowerKeys(readToml(paths.base), paths.base)));
  const sections = withoutKeys(sharedSections(local, members), keys).map(sectionText).join('');
  const files = [
    {
      path: paths.networks,
      text: `${networks.trimEnd()}\n\n# Added by \`switchyard dev init --template ${added}\`.${tables}`,
    },
    ...(base === undefined || sections === '' ? [] : [{ path: paths.base, text: `${base.trimEnd()}\n${sections}` }]),
  ];
  // Files that could not be read back would leave an instance that does not start.
  for (const { path, text } of files) parseToml(text, path);
  replaceFiles(files);
}

/** @throws {Failure} when a service of the user's has the label of one that would be added. */
function requireFreeLabels(paths: InstancePaths, added: Template): void {
  const services = servicesIn(paths);
  const taken = labelsOf(added).find((label) => label in services);
  if (taken === undefined) return;
  throw new Failure(`${paths.networks}: networks.local has a service ${taken} already: give that another label first`);
}

const labelsOf = (template: Template): string[] => [
  ...(hasMessenger(template) ? ['rollup', 'messenger-faucet', 'rollup-conductor'] : []),
  ...(hasEvm(template) ? ['evm', 'evm-conductor', 'faucet', 'sequencer-faucet'] : []),
];

function servicesIn({ networks }: InstancePaths): Record<string, unknown> {
  const services = valueAt(lowerKeys(readToml(networks), networks, ['env']), ['networks', 'local', 'services']);
  return isTable(services) ? services : {};
}

/** A sequencer chain that has begun keeps its accounts; the faucet's is among them where an EVM rollup was planned. */
function fundsFaucet({ sequencerGenesis }: InstancePaths): boolean {
  return existsSync(sequencerGenesis) && readText(sequencerGenesis).includes(faucetAccount.address);
}
