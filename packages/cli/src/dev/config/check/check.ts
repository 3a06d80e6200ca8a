import { existsSync } from 'node:fs';
import { Failure } from '@switchyard/service/failure';
import { jsonLine } from '@switchyard/service/input';
import { InvalidConfig, loadConfig } from '@switchyard/service/settings';
import { PROGRAMS } from '@switchyard/stack/programs';
import { readText } from '../../files/files.ts';
import { isTable, lowerKeys, readToml, tomlLine, valueAt } from '../../files/toml.ts';
import type { InstancePaths } from '../../instance/home.ts';
import { type Instance, requireInstance, type ServiceEntry } from '../../instance/instance.ts';
import { ownName } from '../../instance/own-name.ts';
import { requireTokenFile } from '../../networks/token-file.ts';
import { BUILTINS, type Builtins } from '../../services/builtin.ts';
import { readAsRun } from '../../services/flags.ts';
import { planServices } from '../../services/services.ts';
import { findProgram } from '../entry.ts';
import { hidden } from '../hidden.ts';
import { KNOWN_SETTINGS } from '../known-settings.ts';
import { toEnvironment } from '../settings.ts';
import { checkContradictions } from './contradictions.ts';
import { type CheckInput, error, type Finding, type Place, type Rule } from './finding.ts';
import { networkPlace, settingPlace } from './places.ts';
import { checkRollups } from './rollups.ts';
import { checkStores } from './stores.ts';
import { checkUnknown } from './unknown.ts';

const RULES: readonly Rule[] = [checkContradictions, checkRollups, checkStores, checkUnknown, checkValues];

interface CheckOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly builtins?: Builtins;
  /** In place of the network in the files. */
  readonly instance?: Instance;
}

/**
 * Takes the steps of the next start of each network that need no process, and checks settings that no process can compare,
 * errors first. Files that cannot be read are findings too.
 *
 * @throws {Failure} only when there is no such instance.
 */
export function checkInstance(paths: InstancePaths, options: CheckOptions): Finding[] {
  requireInstance(paths);
  const failures = new Set<string>();
  const collect = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (problem) {
      if (!(problem instanceof Failure)) throw problem;
      for (const line of problem.message.split('\n')) failures.add(line);
      return undefined;
    }
  };
  const input = { instances: readInstances(paths, options, collect), env: options.env };
  const inconsistent = RULES.flatMap((rule) => collect(() => rule(input)) ?? []).map(shown);
  const found = [...[...failures].map((line) => error(line, [], 'correct the file')), ...inconsistent];
  return [
    ...found.filter(({ severity }) => severity === 'error'),
    ...found.filter(({ severity }) => severity !== 'error'),
  ];
}

function readInstances(
  paths: InstancePaths,
  { env, builtins = BUILTINS, instance: given }: CheckOptions,
  collect: <T>(work: () => T) => T | undefined,
): Instance[] {
  const table = collect(() => lowerKeys(readToml(paths.networks), paths.networks, ['env']));
  const networks = valueAt(table, ['networks']);
  return Object.keys(isTable(networks) ? networks : {}).flatMap((name): Instance[] => {
    const instance = collect(() => (given?.network.name === name ? given : readAsRun(paths, name, env)));
    if (instance === undefined) return [];
    if (given === undefined || given === instance) collect(() => planServices(instance, env, builtins));
    collect(() => requireTokenFile(instance));
    return [instance];
  });
}

/** With lines, and without secrets. */
function shown(finding: Finding): Finding {
  return {
    ...finding,
    places: finding.places.map((place) => ({ ...place, ...findLine(place), value: hidden(place.key, place.value) })),
  };
}

function findLine({ file, key }: Place): Pick<Place, 'line'> {
  const text = existsSync(file) ? readText(file) : '';
  const line = file.endsWith('.toml') ? tomlLine(text, key) : file.endsWith('.json') ? jsonLine(text, key) : undefined;
  return line === undefined ? {} : { line };
}

/** Values that a service of ours would refuse when it starts, by its own description of its settings. */
function checkValues({ instances, env }: CheckInput): Finding[] {
  return instances.flatMap((instance) => instance.network.services.flatMap((entry) => refused(instance, entry, env)));
}

function refused(instance: Instance, entry: ServiceEntry, env: NodeJS.ProcessEnv): Finding[] {
  const program = findProgram(entry);
  if (program === undefined) return [];
  try {
    loadConfig(PROGRAMS[program].fields, { ...env, ...toEnvironment(instance, entry) });
    return [];
  } catch (problem) {
    if (!(problem instanceof InvalidConfig)) throw problem;
    return problem.problems.map(({ variable, expected }) => {
      const name = ownName(variable);
      const key = name.toLowerCase();
      const field = KNOWN_SETTINGS[program].get(name);
      const unset = { ...networkPlace(instance, `services.${entry.label}`, 'not set'), key };
      const place = (field && settingPlace(instance, entry, field)) ?? unset;
      const example = field?.parser.example ?? '';
      const fix = `write it as in ${key} = ${JSON.stringify(example)}`;
      return error(`${entry.name} expects ${expected} as ${key}`, [place], fix);
    });
  }
}
