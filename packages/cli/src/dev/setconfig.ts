import { readFileSync, statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { Failure, usage } from '../failure.ts';
import { parseJson, readText, replaceFile } from './files.ts';
import type { InstancePaths } from './home.ts';
import { checkName } from './init.ts';
import { requireInstance } from './instance.ts';
import { isTable, readToml, type TomlTable, valueAt } from './toml.ts';
import { setTomlString } from './toml-edit.ts';

/** One place that was changed, for people. */
export interface Change {
  readonly file: string;
  readonly key: string;
  readonly from: string;
  readonly to: string;
}

interface Edit {
  readonly path: string;
  readonly text: string;
  readonly mode: number;
  readonly changes: readonly Change[];
}

/**
 * Gives the rollup of a network another name in every file where it stands.
 *
 * @throws {Failure} before anything is written, when the name or a file cannot be used.
 */
export function setRollupName(paths: InstancePaths, network: string, name: string): Change[] {
  checkName('rollup name', name);
  requireInstance(paths);
  const networks = readToml(paths.networks);
  if (!isTable(valueAt(networks, ['networks', network]))) {
    const known = valueAt(networks, ['networks']);
    throw new Failure(
      `${paths.networks}: no network ${JSON.stringify(network)}, there is ${isTable(known) ? Object.keys(known).join(', ') : 'none'}`,
    );
  }
  const nameKey = ['networks', network, 'rollup_name'];
  const old = valueAt(networks, nameKey);
  const genesis = editGenesis(paths.rollupGenesis, name);
  const previous = typeof old === 'string' ? old : genesis.changes[0]?.from;
  return apply([
    editToml(paths.networks, [[nameKey, () => name]]),
    genesis,
    editToml(
      paths.base,
      ['svc_composer_rollups', 'astria_composer_rollups'].map((key) => [[key], renamed(previous, name)]),
    ),
  ]);
}

/** Sets how old a block must be before the next one, wherever a service is told. */
export function setBlockInterval(paths: InstancePaths, ms: string): Change[] {
  if (!/^\d{1,5}$/.test(ms) || Number(ms) < 10 || Number(ms) > 60_000) {
    throw usage(`block interval: expected a whole number of milliseconds from 10 to 60000, got ${JSON.stringify(ms)}`);
  }
  requireInstance(paths);
  const keys = ['svc_sequencer_block_interval_ms', 'svc_conductor_sequencer_block_time_ms'];
  return apply([
    editToml(
      paths.base,
      keys.map((key) => [[key], () => ms]),
    ),
  ]);
}

/** Renames one rollup in a list of `name::url`, and leaves the others. */
function renamed(from: string | undefined, to: string) {
  return (value: string | undefined) =>
    value?.replace(/(^|,)(\s*)([^,:]+)(?=::)/g, (all, comma: string, space: string, name: string) =>
      name === from ? `${comma}${space}${to}` : all,
    );
}

type TomlChange = readonly [key: readonly string[], next: (value: string | undefined) => string | undefined];

function editToml(path: string, wanted: readonly TomlChange[]): Edit {
  let text = readText(path);
  const changes: Change[] = [];
  for (const [key, next] of wanted) {
    const value = valueAt(readToml(path), key);
    const from = value === undefined ? undefined : String(value);
    const to = next(from);
    if (to === undefined || to === from) continue;
    text = setTomlString(text, path, key, to);
    changes.push({ file: path, key: key.join('.'), from: from ?? '', to });
  }
  return { path, text, mode: statSync(path).mode, changes };
}

/** The name at the top of the rollup's genesis, and the chain id when that was the name too. */
function editGenesis(path: string, name: string): Edit {
  const text = readText(path);
  const before = parseObject(text, path);
  let edited = text;
  const changes: Change[] = [];
  const from = before.rollup_name ?? before.rollupName;
  for (const [key, value] of Object.entries(before)) {
    const isName = key === 'rollup_name' || key === 'rollupName';
    const followsName = (key === 'chain_id' || key === 'chainId') && value === from;
    if (!(isName || followsName) || typeof value !== 'string' || value === name) continue;
    const found = new RegExp(`("${key}"\\s*:\\s*)${JSON.stringify(value).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}`);
    edited = edited.replace(found, (_, left: string) => left + JSON.stringify(name));
    changes.push({ file: path, key, from: value, to: name });
  }
  const wanted = { ...before, ...Object.fromEntries(changes.map(({ key }) => [key, name])) };
  if (!isDeepStrictEqual(parseObject(edited, path), wanted)) {
    throw new Failure(`${path}: is written in a form that this tool does not edit: set rollup_name to ${name} by hand`);
  }
  return { path, text: edited, mode: statSync(path).mode, changes };
}

function parseObject(text: string, path: string): TomlTable {
  const value = parseJson(text, path);
  if (!isTable(value)) throw new Failure(`${path}: expected a JSON object`);
  return value;
}

/** Writes what changed. Each file appears whole or stays as it was. */
function apply(edits: readonly Edit[]): Change[] {
  for (const { path, text, mode, changes } of edits) if (changes.length > 0) replaceFile(path, text, mode);
  return edits.flatMap(({ changes }) => changes);
}

/** Whether the rollup's genesis and the network agree on its name. Only a remark: a rollup of one's own may differ. */
export function nameDisagreement(paths: InstancePaths, rollupName: string): string | undefined {
  let genesis: unknown;
  try {
    genesis = JSON.parse(readFileSync(paths.rollupGenesis, 'utf8'));
  } catch {
    return undefined;
  }
  const name = valueAt(genesis, ['rollup_name']) ?? valueAt(genesis, ['rollupName']);
  if (typeof name !== 'string' || name === rollupName) return undefined;
  return `${paths.rollupGenesis} calls the rollup ${name}, ${paths.networks} calls it ${rollupName}: make them one with \`switchyard dev setconfig rollupname NAME --instance ${paths.name}\``;
}
