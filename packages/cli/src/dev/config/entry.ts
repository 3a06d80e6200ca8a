import { type ProgramName, programNamed } from '@switchyard/stack/network';
import type { ServiceEntry } from '../instance/instance.ts';
import { ownName } from '../instance/own-name.ts';
import type { SettingField } from './known-settings.ts';

/* Facts that a service's own entry states, without the settings of all programs, which take long to load. */

/** Which of our rollups a service is; `undefined` for one of the user's. */
export function rollupBuiltin(entry: ServiceEntry): 'messenger' | 'evm' | undefined {
  const builtin = findBuiltin(entry);
  return builtin === 'messenger' || builtin === 'evm' ? builtin : undefined;
}

type ProgramFacts = Pick<ServiceEntry, 'label' | 'localPath' | 'downloadUrl'>;

/** The program of ours that a service runs, or stands in for by its label. */
export function findBuiltin({ localPath, label }: Omit<ProgramFacts, 'downloadUrl'>): ProgramName | undefined {
  const named = localPath.startsWith('builtin:') ? localPath.slice('builtin:'.length) : label;
  return programNamed(named);
}

/** Which program of ours a service runs; `undefined` for another's, which may read the same names with defaults of its own. */
export function findProgram(entry: ProgramFacts): ProgramName | undefined {
  const isOther = entry.downloadUrl !== '' || (entry.localPath !== '' && !entry.localPath.startsWith('builtin:'));
  return isOther ? undefined : findBuiltin(entry);
}

/** A variable that a service has of its own, in any letter case and under either prefix. */
export function ownVariable(entry: ServiceEntry, { names: [name] }: SettingField) {
  const found = Object.entries(entry.env).find(([key]) => ownName(key) === name);
  return found === undefined ? undefined : { key: found[0], value: found[1] };
}
