import { fields as composer } from '@switchyard/composer/config';
import { fields as conductor } from '@switchyard/conductor/config';
import { fields as da } from '@switchyard/da/config';
import { evmFields as evm } from '@switchyard/evm/config';
import { fields as explorer } from '@switchyard/explorer/config';
import { fields as faucet } from '@switchyard/faucet/config';
import { fields as messenger } from '@switchyard/messenger/config';
import { fields as relayer } from '@switchyard/relayer/config';
import { fields as sequencer } from '@switchyard/sequencer/config';
import type { Field, FieldTable } from '@switchyard/service/settings';
import type { Builtin } from '../services/builtin.ts';

/** The settings of our services, as each describes its own. */
export const TABLES: Readonly<Record<Builtin, FieldTable>> = {
  sequencer,
  da,
  relayer,
  composer,
  conductor,
  messenger,
  evm,
  faucet,
  explorer,
};
export { composer, conductor, da, evm, explorer, faucet, messenger, relayer, sequencer };

/** By name, which is that of the environment variable. */
export type KnownSettings = ReadonlyMap<string, Field<unknown>>;

const byName = (table: FieldTable): KnownSettings =>
  new Map(Object.values(table).map((field) => [field.names[0], field]));

export const KNOWN_SETTINGS: Readonly<Record<Builtin, KnownSettings>> = {
  sequencer: byName(sequencer),
  da: byName(da),
  relayer: byName(relayer),
  composer: byName(composer),
  conductor: byName(conductor),
  messenger: byName(messenger),
  evm: byName(evm),
  faucet: byName(faucet),
  explorer: byName(explorer),
};

/** What a service takes where nothing is set, if it is known which service reads it. */
export function defaultOf(name: string): string | undefined {
  return Object.values(KNOWN_SETTINGS)
    .map((known) => known.get(name)?.fallback)
    .find((fallback) => fallback !== undefined);
}

/** Of existing configurations: read by the reference's services, and ignored by ours. */
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
  ...Object.values(TABLES).flatMap((table) => Object.values(table).flatMap(({ names }) => names)),
  'NODE_OPTIONS',
]);
