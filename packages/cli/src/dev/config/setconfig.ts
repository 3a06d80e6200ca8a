import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { WITHDRAWER_ADDRESS, withdrawerStorage } from '@switchyard/evm/client';
import { usage } from '@switchyard/service/failure';
import { readValue } from '@switchyard/service/lenient';
import { didYouMean } from '@switchyard/service/settings';
import { getCoin } from '@switchyard/stack/programs';
import type { JsonPath } from '../files/json-edit.ts';
import type { InstancePaths } from '../instance/home.ts';
import { type Instance, readInstance } from '../instance/instance.ts';
import { evmBridge } from '../networks/evm-rollup.ts';
import { getContents } from '../state/remove.ts';
import { sequencerGenesisPath } from './check/places.ts';
import { type Change, Draft } from './draft.ts';
import { ownVariable } from './entry.ts';
import { GENESIS_KEYS, type RollupGenesis, rollupGenesesIn, SEQUENCER_GENESIS, toRollupGenesis } from './genesis.ts';
import { FIELDS, type SettingField } from './known-settings.ts';
import { isOfBase, isRemote, withRole } from './roles.ts';
import { findSetting } from './settings.ts';
import { checkBlockInterval, checkName, getAsset, getNativeDenom } from './values.ts';

export type { Change } from './draft.ts';

/** Which network is meant, and of several rollups which one. */
export interface Target {
  readonly network: string;
  /** Label of a service. */
  readonly service?: string | undefined;
  /** For the variables in the files. */
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Gives a rollup of a network another name in every file that has it.
 *
 * @throws {Failure} before anything is written, when the name or a file cannot be used.
 */
export function setRollupName(paths: InstancePaths, target: Target | string, name: string): Change[] {
  checkName('rollup name', name);
  const { instance, draft, service } = open(paths, target);
  const { network } = instance;
  const rollup = chosenRollup(instance, service);
  const { path: genesis, keys } = rollup ?? { path: paths.rollupGenesis, keys: GENESIS_KEYS.messenger };
  const previous = keys.rollupName
    .map((path) => (existsSync(genesis) ? draft.at(genesis, path) : undefined))
    .find(isText);
  // A network has one name; of several rollups it is the present owner of this name.
  const isMain = service === undefined || previous === network.rollupName;
  if (isMain) draft.set(paths.networks, ['networks', network.name, 'rollup_name'], name);
  if (existsSync(genesis)) {
    for (const key of ['chain_id', 'chainId']) {
      const value = draft.at(genesis, [key]);
      // A chain id of its own is the rollup's business.
      if (isText(value) && value === previous) draft.set(genesis, [key], name);
    }
    for (const path of keys.rollupName) setText(draft, genesis, path, name);
  }
  const old = isMain ? network.rollupName : previous;
  for (const place of getPlaces(instance, draft, FIELDS.composer.rollups)) {
    draft.set(place.file, place.path, renamed(place.value, old, name));
  }
  return draft.write();
}

/** Sets the asset that the sequencer's genesis hands out, and with it the fee asset if that was the same. */
export function setNativeAsset(paths: InstancePaths, target: Target, text: string): Change[] {
  const { instance, draft } = open(paths, target);
  const { network } = instance;
  const old = network.nativeDenom;
  const remote = isRemote(network);
  // Elsewhere it may be any asset: it was not made by a genesis of ours.
  const denom = remote ? getAsset('native asset', text) : getNativeDenom('native asset', text);
  draft.set(paths.networks, ['networks', network.name, 'native_denom'], denom);
  if (!remote) {
    const genesis = genesisFile(instance);
    draft.set(genesis, SEQUENCER_GENESIS.asset, denom);
    replaceAllowed(draft, genesis, old, denom);
  }
  for (const { path: file, keys } of writtenGeneses(instance)) {
    const { at, key } = keys.assets;
    const items = draft.at(file, at);
    for (const index of (Array.isArray(items) ? items : []).keys()) {
      const path = [...at, index, key];
      if (draft.at(file, path) !== old) continue;
      draft.set(file, path, denom);
      if (keys === GENESIS_KEYS.evm && index === 0) renewWithdrawer(draft, file, old);
    }
  }
  for (const [name, from, to] of [
    [FIELDS.composer.feeAsset, old, denom],
    [FIELDS.faucet.asset, old, denom],
    [FIELDS.faucet.symbol, getCoin(old), getCoin(denom)],
  ] as const) {
    for (const { file, path, value } of getPlaces(instance, draft, name)) {
      if (value === from) draft.set(file, path, to);
    }
  }
  return draft.write();
}

/** Sets the composer's fee asset, and lets the sequencer's genesis take it. */
export function setFeeAsset(paths: InstancePaths, target: Target, text: string): Change[] {
  const denom = getAsset('fee asset', text);
  const { instance, draft } = open(paths, target);
  const old = withRole(instance.network, 'composer')
    .map((entry) => findSetting(instance, entry, FIELDS.composer.feeAsset))
    .find(isText);
  if (!isRemote(instance.network)) replaceAllowed(draft, genesisFile(instance), old, denom);
  setForRole(instance, draft, 'composer', FIELDS.composer.feeAsset, denom);
  return draft.write();
}

/** Gives the sequencer's chain another id, in every file that names it. */
export function setSequencerChainId(paths: InstancePaths, target: Target, id: string): Change[] {
  checkName('sequencer chain id', id);
  const { instance, draft } = open(paths, target);
  const { network } = instance;
  draft.set(paths.networks, ['networks', network.name, 'sequencer_chain_id'], id);
  const setIn = (file: string, keys: readonly JsonPath[]) => {
    for (const key of keys) setText(draft, file, key, id);
  };
  if (!isRemote(network)) setIn(genesisFile(instance), SEQUENCER_GENESIS.chainId);
  for (const name of [FIELDS.composer.sequencerChainId, FIELDS.conductor.expectedSequencerChainId]) {
    setWhereExplicit(instance, draft, name, id);
  }
  for (const { path, keys } of writtenGeneses(instance)) setIn(path, keys.chainId);
  return draft.write();
}

/** Sets how old a block must be before the next one, in every file that sets it. */
export function setBlockInterval(paths: InstancePaths, ms: string, target: Target | string = 'local'): Change[] {
  checkBlockInterval(ms);
  const { instance, draft } = open(paths, target);
  if (isRemote(instance.network)) {
    throw usage(`block interval: the sequencer of network ${instance.network.name} is not ours to set`);
  }
  setForRole(instance, draft, 'sequencer', FIELDS.sequencer.blockIntervalMs, ms);
  setWhereExplicit(instance, draft, FIELDS.conductor.sequencerBlockTimeMs, ms);
  return draft.write();
}

/** Whether anything is stored that a change of genesis or of names would not fit. */
export function hasState(paths: InstancePaths): boolean {
  return getContents(paths.data).length > 0;
}

function open(paths: InstancePaths, target: Target | string) {
  const { network, service, env = {} } = typeof target === 'string' ? { network: target } : target;
  return { instance: readInstance(paths, network, env), draft: new Draft(), service };
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Changes a text of a genesis, if it is there. */
function setText(draft: Draft, file: string, path: JsonPath, to: string): void {
  if (isText(draft.at(file, path))) draft.set(file, path, to);
}

/** @throws {Failure} when there are several and none was named, or the named one does not exist. */
function chosenRollup(instance: Instance, label: string | undefined): RollupGenesis | undefined {
  const { network } = instance;
  const labels = withRole(network, 'rollup').map((entry) => entry.label);
  if (label === undefined) {
    const [only, ...more] = rollupGenesesIn(instance);
    if (more.length === 0) return only;
    throw usage(`network ${network.name} has several rollups: name one with --service, one of ${labels.join(', ')}`);
  }
  const found = withRole(network, 'rollup').find((entry) => entry.label === label.toLowerCase());
  if (found !== undefined) return toRollupGenesis(instance, found);
  throw usage(
    `--service: no rollup ${JSON.stringify(label)} in network ${network.name}, there is ${labels.join(', ') || 'none'}${didYouMean(label, labels)}`,
  );
}

/** The genesis files of the existing rollups. */
const writtenGeneses = (instance: Instance) => rollupGenesesIn(instance).filter(({ path }) => existsSync(path));

/** The storage of the contract names the asset too. A contract that was made for another bridge stays unchanged. */
function renewWithdrawer(draft: Draft, file: string, old: string | undefined): void {
  const path = ['alloc', WITHDRAWER_ADDRESS, 'storage'];
  const bridge = readValue(draft.at(file, [...GENESIS_KEYS.evm.bridges, 0]), evmBridge);
  if (bridge === undefined || old === undefined) return;
  const minimum = draft.at(file, [...path, MINIMUM_SLOT]);
  const [before = {}, after = {}] = [old, bridge.asset].map((asset) => ({
    ...withdrawerStorage({ ...bridge, asset }),
    [MINIMUM_SLOT]: minimum,
  }));
  if (!isDeepStrictEqual(draft.at(file, path), before)) return;
  const slots = Object.keys(before);
  // If no slot comes or goes, the form of the file stays.
  if (slots.join() !== Object.keys(after).join()) draft.set(file, path, after);
  else for (const [slot, word] of Object.entries(after)) draft.set(file, [...path, slot], word);
}

/** Slot 0 of the contract: the smallest withdrawal and the precision of the asset. */
const MINIMUM_SLOT = `0x${'0'.repeat(64)}`;

const genesisFile = (instance: Instance) => sequencerGenesisPath(instance) ?? instance.paths.sequencerGenesis;

/** The allowed fee assets with one exchanged for another; the others stay. */
function replaceAllowed(draft: Draft, genesis: string, old: string | undefined, denom: string): void {
  const path = SEQUENCER_GENESIS.feeAssets;
  const listed = draft.at(genesis, path);
  const assets: unknown[] = Array.isArray(listed) ? listed : [];
  const next = assets.includes(old) ? assets.map((asset) => (asset === old ? denom : asset)) : assets;
  if (next !== assets || !next.includes(denom)) {
    draft.set(genesis, path, [...new Set(next.includes(denom) ? next : [...next, denom])]);
  }
}

interface Place {
  readonly file: string;
  readonly path: readonly string[];
  readonly value: string;
}

/** One pace for every network that runs here, with any engine. */
const PACE = /_(BLOCK_INTERVAL|BLOCK_TIME)_MS$/;

/** Places of a setting for this network: in the base settings, and in the variables of its services. */
function getPlaces({ paths, network }: Instance, draft: Draft, field: SettingField): Place[] {
  const key = field.names[0].toLowerCase();
  // The base file applies to every network, so others have their own values in the tables of their services.
  const isShared = isOfBase(network) || (!isRemote(network) && PACE.test(field.names[0]));
  const places = [
    ...(isShared ? [key, key.replace(/^svc_/, 'astria_')] : []).map((name) => ({ file: paths.base, path: [name] })),
    ...network.services.map((entry) => variableAt(paths, network, entry.label, ownVariable(entry, field)?.key ?? '')),
  ];
  return places.flatMap((place) => {
    const value = draft.at(place.file, place.path);
    return value === undefined ? [] : [{ ...place, value: String(value) }];
  });
}

const variableAt = (paths: InstancePaths, { name }: Instance['network'], label: string, key: string) => ({
  file: paths.networks,
  path: ['networks', name, 'services', label, 'env', key],
});

/** Changes a setting that is otherwise derived, in the files that set it. */
function setWhereExplicit(instance: Instance, draft: Draft, field: SettingField, to: string): boolean {
  const places = getPlaces(instance, draft, field);
  for (const { file, path } of places) draft.set(file, path, to);
  return places.length > 0;
}

/** Sets it in each file that has it; if none has, for the services of this role. */
function setForRole(instance: Instance, draft: Draft, role: 'sequencer' | 'composer', field: SettingField, to: string) {
  const { paths, network } = instance;
  if (setWhereExplicit(instance, draft, field, to)) return;
  const key = field.names[0].toLowerCase();
  const places = isRemote(network)
    ? withRole(network, role).map(({ label }) => variableAt(paths, network, label, key))
    : [{ file: paths.base, path: [key] }];
  for (const { file, path } of places) draft.set(file, path, to);
}

/** Renames one rollup in a list of `name::url`, and leaves the others. */
function renamed(list: string, from: string | undefined, to: string): string {
  return list.replace(/(^|,)(\s*)([^,:]+)(?=::)/g, (all, comma: string, space: string, name: string) =>
    name === from ? `${comma}${space}${to}` : all,
  );
}
