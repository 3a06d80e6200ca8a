import { InvalidConfig, loadConfig } from '@switchyard/service/settings';
import { PROGRAMS } from '@switchyard/stack/programs';
import type { Instance, ServiceEntry } from '../../instance/instance.ts';
import { ownName, programOf } from '../entry.ts';
import { KNOWN_SETTINGS } from '../known-settings.ts';
import { environmentOf } from '../settings.ts';
import { type CheckInput, error, type Finding } from './finding.ts';
import { networkPlace, settingPlace } from './places.ts';

/** Values that a service of ours would refuse when it starts, by its own description of its settings. */
export function checkValues({ instances, env }: CheckInput): Finding[] {
  return instances.flatMap((instance) => instance.network.services.flatMap((entry) => refused(instance, entry, env)));
}

function refused(instance: Instance, entry: ServiceEntry, env: NodeJS.ProcessEnv): Finding[] {
  const program = programOf(entry);
  if (program === undefined) return [];
  try {
    loadConfig(PROGRAMS[program].fields, { ...env, ...environmentOf(instance, entry) });
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
