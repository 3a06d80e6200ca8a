import { Failure } from '@switchyard/service/failure';
import { jsonLine } from '@switchyard/service/input';
import { InvalidConfig, loadConfig } from '@switchyard/service/settings';
import { PROGRAMS } from '@switchyard/stack/programs';
import { isTable, lowerKeys, readToml, tomlLine, valueAt } from '../../files/toml.ts';
import { pendingGenesis } from '../../init/genesis-at-start.ts';
import type { InstancePaths } from '../../instance/home.ts';
import { type Instance, requireInstance, type ServiceEntry } from '../../instance/instance.ts';
import { ownName } from '../../instance/own-name.ts';
import { currentRun } from '../../instance/run-file.ts';
import { BUILTINS, type Builtins } from '../../services/builtin.ts';
import { readAsRun } from '../../services/flags.ts';
import { planServices } from '../../services/services.ts';
import { hidden } from '../effective.ts';
import { findProgram } from '../entry.ts';
import { KNOWN_SETTINGS } from '../known-settings.ts';
import { toEnvironment } from '../settings.ts';
import { checkAddresses } from './addresses.ts';
import { checkContradictions } from './contradictions.ts';
import { factsOf } from './file-facts.ts';
import { checkFiles, namedFiles } from './files.ts';
import { type CheckInput, error, type FileFacts, type Finding, type Place, type Rule } from './finding.ts';
import { checkLayer } from './layer.ts';
import { checkNames } from './names.ts';
import { networkPlace, settingPlace } from './places.ts';
import { checkUnknown } from './unknown.ts';
import { checkWiring } from './wiring.ts';

const RULES: readonly Rule[] = [
  checkContradictions,
  checkNames,
  checkWiring,
  checkLayer,
  checkAddresses,
  checkFiles,
  checkUnknown,
  checkValues,
];

interface CheckOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Selects the instance in a command, to follow `switchyard dev ...` in a hint. */
  readonly flags: string;
  readonly builtins?: Builtins;
  /** In place of the network in the files. */
  readonly instance?: Instance;
}

/** Findings of all rules. Pure. */
function getFindings(input: CheckInput): Finding[] {
  return RULES.flatMap((rule) => rule(input)).map((finding) => ({
    ...finding,
    places: finding.places.map((place) => ({
      ...place,
      ...formatLine(place, input.files.get(place.file)),
      value: hidden(place.key, place.value),
    })),
  }));
}

function formatLine({ file, key }: Place, facts: FileFacts | undefined): Pick<Place, 'line'> {
  const text = facts?.text ?? '';
  const line = file.endsWith('.toml') ? tomlLine(text, key) : isTable(facts?.value) ? jsonLine(text, key) : undefined;
  return line === undefined ? {} : { line };
}

/**
 * Reads the files of an instance and checks that they are consistent, errors first. Files that cannot be read are
 * findings too.
 *
 * @throws {Failure} only when there is no such instance.
 */
export function checkInstance(paths: InstancePaths, options: CheckOptions): Finding[] {
  requireInstance(paths);
  const read = readAll(paths, options);
  const found = [...read.findings, ...getFindings(read.input)];
  return [
    ...found.filter(({ severity }) => severity === 'error'),
    ...found.filter(({ severity }) => severity !== 'error'),
  ];
}

function readAll(paths: InstancePaths, { env, flags, builtins = BUILTINS, instance: given }: CheckOptions) {
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
  const networksTable = collect(() => lowerKeys(readToml(paths.networks), paths.networks, ['env']));
  const named = valueAt(networksTable, ['networks']);
  const instances = Object.keys(isTable(named) ? named : {}).flatMap((name): Instance[] => {
    const instance = collect(() => (given?.network.name === name ? given : readAsRun(paths, name, env)));
    if (instance === undefined) return [];
    if (given === undefined || given === instance) collect(() => planServices(instance, env, builtins));
    return [instance];
  });

  const files = new Map<string, FileFacts>();
  for (const path of [paths.networks, paths.base]) files.set(path, factsOf(path));
  for (const instance of instances) {
    const { keys, tokens, genesis } = namedFiles(instance);
    for (const { value } of [...keys, ...tokens]) files.set(value, factsOf(value));
    // Genesis files are checked in the form that the next start derives.
    const pending = new Map(collect(() => pendingGenesis(instance))?.map(({ path, text }) => [path, text]));
    for (const path of genesis) {
      const facts = factsOf(path, pending.get(path)?.());
      files.set(path, facts);
      if (facts.exists && !isTable(facts.value)) failures.add(`${path}: not a JSON object`);
    }
  }
  const started = currentRun(paths)?.startedAt;
  const input: CheckInput = {
    instances,
    files,
    flags,
    env,
    runningSinceMs: started === undefined ? undefined : Date.parse(started),
  };
  const findings = [...failures].map((line) => error(line, [], 'correct the file'));
  return { input, findings };
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
