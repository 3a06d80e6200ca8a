import { readJsonFile } from '@switchyard/service/lenient';
import { jsonAt } from '../../files/json-edit.ts';
import { pendingGenesis } from '../../init/genesis-at-start.ts';
import { instanceArguments } from '../../instance/home.ts';
import type { Instance } from '../../instance/instance.ts';
import { bridgesIn, type RollupGenesis, rollupGenesesIn } from '../genesis.ts';
import { FIELDS } from '../known-settings.ts';
import { rollupFields, withRole } from '../roles.ts';
import { findSetting } from '../settings.ts';
import { reaches } from './contradictions.ts';
import { type CheckInput, error, type Finding, type Place, warning } from './finding.ts';
import { networkPlace, settingPlace } from './places.ts';

/** Rollups that have another name than their network states, that get mixed up, or that never get a block. */
export function checkRollups({ instances }: CheckInput): Finding[] {
  return instances.flatMap((instance) => [
    ...checkName(instance),
    ...twins(instance),
    ...sharedBridges(instance),
    ...unfed(instance),
  ]);
}

/** The genesis files that the next start takes unchanged. The others follow from the network. */
function statedGeneses(instance: Instance): RollupGenesis[] {
  const pending = new Set(pendingGenesis(instance).map(({ path }) => path));
  return rollupGenesesIn(instance).filter(({ path }) => !pending.has(path));
}

interface Named {
  readonly label: string;
  readonly place: Place;
}

/** Names in the genesis files. An unreadable file is reported by its rollup. */
function statedNames(instance: Instance): Named[] {
  return statedGeneses(instance).flatMap(({ entry: { label }, path: file, keys }): Named[] => {
    const document = readJsonFile(file, ({ value }) => value);
    const path = keys.rollupName.find((each) => typeof jsonAt(document, each) === 'string');
    if (path === undefined) return [];
    return [{ label, place: { file, key: path.join('.'), value: String(jsonAt(document, path)) } }];
  });
}

const setName = ({ network, paths }: Instance, value: string) =>
  `\`switchyard dev setconfig rollupname ${value}${network.name === 'local' ? '' : ` --network ${network.name}`}${instanceArguments(paths)}\``;

/** Whether one of the rollups has the name of the network. */
export function checkName(instance: Instance): Finding[] {
  const { network } = instance;
  const named = statedNames(instance);
  const [first, second] = named;
  if (first === undefined || named.some(({ place }) => place.value === network.rollupName)) return [];
  // Another rollup may have the name, by a genesis that follows from the network or has a form of its own.
  if (named.length < rollupGenesesIn(instance).length) return [];
  const truth = networkPlace(instance, 'rollup_name', network.rollupName);
  const fix = setName(instance, `${truth.value}${second === undefined ? '' : ` --service ${first.label}`}`);
  return [error('rollup names differ', [truth, ...named.map(({ place }) => place)], fix)];
}

/** Each of two rollups with one name reads the other's data. */
function twins(instance: Instance): Finding[] {
  return repeated(statedNames(instance), ({ place }) => place.value).map(([first, second]) =>
    error(
      "two rollups have one name, so each reads the other's data",
      [first.place, second.place],
      setName(instance, `NAME --service ${second.label}`),
    ),
  );
}

/** A bridge account belongs to one rollup: of two that name it, one never gets a deposit. */
function sharedBridges(instance: Instance): Finding[] {
  const places = statedGeneses(instance).flatMap(({ path: file, keys }) =>
    bridgesIn(file, keys).map((value) => ({ file, key: keys.bridges.join('.'), value })),
  );
  return repeated(places, ({ value }) => value).map((both) =>
    warning('a bridge account is named twice', both, 'give each rollup a bridge account of its own'),
  );
}

/** Items that have the same key as an earlier one, with that one. */
function repeated<T>(items: readonly T[], keyOf: (item: T) => string): (readonly [first: T, second: T])[] {
  const firsts = new Map<string, T>();
  return items.flatMap((item) => {
    const first = firsts.get(keyOf(item));
    if (first !== undefined) return [[first, item] as const];
    firsts.set(keyOf(item), item);
    return [];
  });
}

function unfed(instance: Instance): Finding[] {
  const { executionRpcUrl } = FIELDS.conductor;
  const called = withRole(instance.network, 'conductor').map(
    (entry) => findSetting(instance, entry, executionRpcUrl) ?? executionRpcUrl.fallback ?? '',
  );
  return withRole(instance.network, 'rollup').flatMap((entry) => {
    const listens = settingPlace(instance, entry, rollupFields(entry).executionGrpcAddr);
    if (listens === undefined || called.some((url) => reaches(url, listens.value))) return [];
    const fix = `add a service with local_path = "builtin:conductor" and its own ${executionRpcUrl.names[0].toLowerCase()} = "http://${listens.value}"`;
    return [warning(`no conductor brings blocks to ${entry.name}, so nothing is executed`, [listens], fix)];
  });
}
