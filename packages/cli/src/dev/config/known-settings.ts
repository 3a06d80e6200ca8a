import type { Field } from '@switchyard/service/settings';
import { PROGRAM_NAMES, type ProgramName } from '@switchyard/stack/network';
import type { ProgramFields } from '@switchyard/stack/process';
import { PROGRAMS, type Programs } from '@switchyard/stack/programs';

/** The settings of each program, by the names of its table. */
export const FIELDS = Object.fromEntries(
  PROGRAM_NAMES.map((name) => [name, PROGRAMS[name].fields]),
  // Every name has its entry.
) as { readonly [Name in ProgramName]: Programs[Name]['fields'] };

/** A setting, as its program describes it. */
export type SettingField = Field<unknown>;

/** Settings by name, which is that of the environment variable. */
export type KnownSettings = ReadonlyMap<string, Field<unknown>>;

const byName = (table: ProgramFields): KnownSettings =>
  new Map(Object.values(table).map((field) => [field.names[0], field]));

export const KNOWN_SETTINGS = Object.fromEntries(
  PROGRAM_NAMES.map((name) => [name, byName(PROGRAMS[name].fields)]),
  // Every name has its entry.
) as Readonly<Record<ProgramName, KnownSettings>>;

/** Settings of existing configurations that the reference's services read and ours ignore. */
const IGNORED = /^(SVC_CONDUCTOR_((NO_|EXPECTED_)?CELESTIA_)|NO_COLOR$|OTEL_|SVC_SEQUENCER_NO_OPTIMISTIC)/;

/** Prefixes under which every setting is one of ours. */
const OURS = /^SVC_(SEQUENCER|DA|RELAYER|COMPOSER|CONDUCTOR|EVM|FAUCET|EXPLORER)_/;

/** Whether one of our services reads a setting, given by our own name for it. */
export function statusOfSetting(name: string): 'known' | 'ignored' | 'unknown' | 'free' {
  if (ALL.has(name)) return 'known';
  if (IGNORED.test(name)) return 'ignored';
  // A key without our prefix belongs to a rollup of the user's, who alone knows it.
  return OURS.test(name) ? 'unknown' : 'free';
}

/** Names a mistyped setting may have meant: with our prefix only those of the same service. */
export function namesLike(name: string): string[] {
  const prefix = OURS.exec(name)?.[0];
  return [...ALL].filter((known) => (prefix === undefined ? !OURS.test(known) : known.startsWith(prefix)));
}

/** Second names included. Node.js reads the last one. */
const ALL: ReadonlySet<string> = new Set([
  ...PROGRAM_NAMES.flatMap((name) => Object.values(PROGRAMS[name].fields).flatMap(({ names }) => names)),
  'NODE_OPTIONS',
]);
