import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { carol, composerAccount, dave, faucetAccount, relayerAccount } from '@switchyard/network/accounts';
import { evmFaucetAccount } from '@switchyard/network/evm-accounts';
import { validatorKeyFile } from '@switchyard/network/genesis';
import { wallDate } from '@switchyard/service';
import { Failure } from '@switchyard/service/failure';
import { makeCelestiaKeys } from '../celestia/keys.ts';
import { makeDirectory, type NewFile, readText, replaceFiles, writeAbsent } from '../files/files.ts';
import { isTable, lowerKeys, parseToml, readToml, valueAt } from '../files/toml.ts';
import { type InstancePaths, instanceArguments } from '../instance/home.ts';
import { secretText } from '../instance/secrets.ts';
import { getContents } from '../state/remove.ts';
import { getGenesisFiles, isDerived } from './genesis-at-start.ts';
import { baseFile, memberTables, onlyAlive, sectionText, sharedSections, withoutKeys } from './network-text.ts';
import { localNetwork, networksFile } from './networks-file.ts';
import { addedMembers } from './new-network.ts';
import { checkNames, type InitOptions, type InstanceSettings, ignoredFlags, settingsFor } from './settings.ts';
import { type RollupKind, rollupsOfTemplate, templateName } from './templates.ts';

export type { InitOptions } from './settings.ts';

export type InitReport = Readonly<ReturnType<typeof initInstance>>;

/**
 * Makes an instance that runs without edits. Writes only files that are absent, so repeating it is safe and completes an
 * instance that lacks some; rollups of the template that the instance does not have are added.
 *
 * @throws {Failure} on a value that cannot be used, before anything is written, and when a file cannot be written.
 */
export function initInstance(paths: InstancePaths, options: InitOptions, now = wallDate()) {
  const present = settingsFor(paths, options);
  const wanted = rollupsOfTemplate(options.template) ?? [];
  const added = existsSync(paths.networks) ? wanted.filter((rollup) => !present.rollups.includes(rollup)) : [];
  const settings = withAdded(present, added, options);
  if (existsSync(paths.sequencerGenesis) && !existsSync(paths.validatorKey)) {
    throw new Failure(
      `${paths.validatorKey}: is absent, and ${paths.sequencerGenesis} names the validator it belonged to: put it back, or delete the genesis too and run \`switchyard dev reset state${instanceArguments(paths)}\``,
    );
  }
  for (const directory of [paths.config, paths.data, paths.logs]) makeDirectory(directory);
  if (added.length > 0) {
    requireFreeLabels(paths, added);
    addRollups(paths, settings, added);
  }
  const celestiaKeys = settings.layer === 'celestia' ? makeCelestiaKeys(paths) : [];
  const files: readonly NewFile[] = [
    { path: paths.networks, text: () => networksFile(settings) },
    { path: paths.base, text: () => baseFile(localNetwork(settings)) },
    { path: paths.validatorKey, text: validatorKeyFile, mode: 0o600 },
    ...getGenesisFiles(paths, settings, now),
    ...getKeys(paths, settings),
  ];
  const written = writeAbsent(files);
  const kept = files.map(({ path }) => path).filter((path) => !written.includes(path));
  const names = (all: readonly string[]) => all.map((path) => relative(paths.directory, path));
  return {
    written: [...celestiaKeys, ...names(written)],
    kept: names(kept),
    /** Rollups that were added to an existing instance. */
    added,
    template: templateName(settings.rollups),
    offset: settings.offset,
    /** Flags that have no effect, because the file they belong to was there already. */
    ignored: ignoredFlags(options, settings),
  };
}

/** @throws {Failure} when the rollups cannot have their names. */
function withAdded(present: InstanceSettings, added: readonly RollupKind[], { skips }: InitOptions): InstanceSettings {
  if (added.length === 0) return present;
  const settings = { ...present, rollups: [...present.rollups, ...added], ...(skips === undefined ? {} : { skips }) };
  checkNames(settings);
  return settings;
}

/**
 * The key files of an instance besides the validator's: published keys, for which the genesis files have funds, and
 * secrets that its services share.
 */
export function getKeys(
  paths: InstancePaths,
  { rollups, layer }: Pick<InstanceSettings, 'rollups' | 'layer'>,
): readonly NewFile[] {
  const keys: readonly (readonly [path: string, text: () => string])[] = [
    [paths.composerKey, () => composerAccount.key],
    [paths.executionSecret, secretText],
    [paths.composerSecret, secretText],
    ...(layer === 'local' ? [[paths.relayerKey, () => relayerAccount.key] as const] : []),
    ...(rollups.includes('evm')
      ? [
          [paths.evmWithdrawerKey, () => dave.key] as const,
          [paths.faucetKey, () => evmFaucetAccount.key] as const,
          [paths.sequencerFaucetKey, () => faucetAccount.key] as const,
        ]
      : []),
    ...(rollups.includes('messenger')
      ? [
          // The bridge accounts are their own withdrawers.
          [paths.withdrawerKey, () => carol.key] as const,
          [paths.messengerFaucetKey, () => faucetAccount.key] as const,
        ]
      : []),
  ];
  return keys.map(([path, text]) => ({ path, text, mode: 0o600 }));
}

/**
 * Adds rollups to the network `local`: tables behind those of `networks-config.toml`, and the settings that
 * `base-config.toml` lacks. Every existing line stays unchanged, except those of a conductor without a rollup, which
 * gets one.
 *
 * @param added Which; `settings` has them already.
 * @throws {Failure} when a file cannot be read or written; then none is changed.
 */
function addRollups(paths: InstancePaths, settings: InstanceSettings, added: readonly RollupKind[]): void {
  const services = servicesIn(paths);
  // A network without rollups of ours may have one of the user's.
  const conductorIsBusy = settings.rollups.length > added.length || 'rollup' in services;
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
      text: `${networks.trimEnd()}\n\n# Added by \`switchyard dev init --template ${templateName(added)}\`.${tables}`,
    },
    ...(base === undefined || sections === '' ? [] : [{ path: paths.base, text: `${base.trimEnd()}\n${sections}` }]),
  ];
  // Files that could not be read back would leave an instance that does not start.
  for (const { path, text } of files) parseToml(text, path);
  replaceFiles(files);
}

/** @throws {Failure} when a service of the user's has the label of an added one. */
function requireFreeLabels(paths: InstancePaths, added: readonly RollupKind[]): void {
  const services = servicesIn(paths);
  const taken = getLabels(added).find((label) => label in services);
  if (taken === undefined) return;
  throw new Failure(`${paths.networks}: networks.local has a service ${taken} already: give that another label first`);
}

const getLabels = (rollups: readonly RollupKind[]): string[] => [
  ...(rollups.includes('messenger') ? ['rollup', 'messenger-faucet', 'rollup-conductor'] : []),
  ...(rollups.includes('evm') ? ['evm', 'evm-conductor', 'faucet', 'sequencer-faucet'] : []),
];

function servicesIn({ networks }: InstancePaths): Record<string, unknown> {
  const services = valueAt(lowerKeys(readToml(networks), networks, ['env']), ['networks', 'local', 'services']);
  return isTable(services) ? services : {};
}

/** A sequencer chain that has begun keeps its accounts. Before its first block, a derived genesis follows the rollups at the next start. */
function fundsFaucet(paths: InstancePaths): boolean {
  const { sequencerGenesis, data } = paths;
  if (!existsSync(sequencerGenesis)) return false;
  const follows = getContents(data).length === 0 && isDerived(paths, sequencerGenesis);
  return follows || readText(sequencerGenesis).includes(faucetAccount.address);
}
