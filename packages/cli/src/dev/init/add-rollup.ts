import { existsSync, statSync } from 'node:fs';
import { faucetAccount } from '@switchyard/network/accounts';
import { Failure } from '../../failure.ts';
import { readText, replaceFiles } from '../files/files.ts';
import { isTable, lowerKeys, parseToml, readToml, valueAt } from '../files/toml.ts';
import type { InstancePaths } from '../instance/home.ts';
import { memberTables, onlyAlive, sectionText, sharedSections, withoutKeys } from './network-text.ts';
import { localNetwork } from './networks-file.ts';
import { addedMembers } from './new-network.ts';
import type { InstanceSettings } from './settings.ts';
import { hasEvm, hasMessenger, type Template, templateFor } from './templates.ts';

/** The rollups of one template that another one lacks. */
export function missing(present: Template, wanted: Template): Template {
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
export function addRollups(paths: InstancePaths, settings: InstanceSettings, added: Template): void {
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
  replaceFiles(files.map((file) => ({ ...file, mode: statSync(file.path).mode })));
}

/** @throws {Failure} when a service of the user's has the label of one that would be added. */
export function requireFreeLabels(paths: InstancePaths, added: Template): void {
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
