import { join } from 'node:path';
import { quoted } from '@switchyard/storage/damaged';
import { findHome } from '../../comet/service.ts';
import type { Instance } from '../../instance/instance.ts';
import { genesisPathsIn, rollupGenesesIn } from '../genesis.ts';
import { FIELDS, type SettingField } from '../known-settings.ts';
import { type Role, withRole } from '../roles.ts';
import { type CheckInput, error, type Finding, type Place, warning } from './finding.ts';
import { ofProgram, RELAYER_KEY_FILE, TOKEN_FILE } from './layer.ts';
import { networkPlace, sequencerGenesisPath, settingPlace } from './places.ts';

const KEY_FILES: readonly (readonly [Role, SettingField])[] = [
  ['composer', FIELDS.composer.privateKeyFile],
  ['sequencer', FIELDS.sequencer.privValidatorKeyFile],
];

/** The files that the settings of an instance name. */
export function namedFiles(instance: Instance): {
  readonly keys: readonly Place[];
  /** Token files of light nodes. */
  readonly tokens: readonly Place[];
  readonly genesis: readonly string[];
} {
  const named = (program: 'relayer' | 'conductor', field: SettingField) =>
    ofProgram(instance, program).flatMap((entry) => settingPlace(instance, entry, field) ?? []);
  return {
    keys: [
      ...KEY_FILES.flatMap(([role, field]) =>
        withRole(instance.network, role).flatMap((entry) => settingPlace(instance, entry, field) ?? []),
      ),
      ...named('relayer', RELAYER_KEY_FILE),
      ...nodeKeys(instance),
    ],
    tokens: named('conductor', TOKEN_FILE),
    genesis: genesisPathsIn(instance),
  };
}

/** The keys in the homes of nodes under CometBFT. */
function nodeKeys(instance: Instance): Place[] {
  return instance.network.services.flatMap((entry) => {
    const home = findHome(entry);
    if (home === undefined) return [];
    return ['node_key.json', 'priv_validator_key.json'].map((name) =>
      networkPlace(instance, `services.${entry.label}.args`, join(home, 'config', name)),
    );
  });
}

/** Whether the files are there, who may read the keys, and whether they were changed under running services. */
export function checkFiles(input: CheckInput): Finding[] {
  return [
    ...input.instances.flatMap((instance) => [...absentGenesis(instance, input), ...openKeys(instance, input)]),
    ...changedWhileRunning(input),
  ];
}

function absentGenesis(instance: Instance, { files, flags }: CheckInput): Finding[] {
  const own = new Map([
    [sequencerGenesisPath(instance), 'sequencer'],
    ...rollupGenesesIn(instance)
      // A program of the user's may have its first state elsewhere.
      .filter(({ entry: { localPath } }) => localPath === '' || localPath.startsWith('builtin:'))
      .map(({ path, entry }) => [path, entry.name] as const),
  ]);
  return [...own].flatMap(([file, service]) =>
    file === undefined || files.get(file)?.exists !== false
      ? []
      : [
          error(
            `the genesis of ${service} is absent`,
            [{ file, key: 'file', value: 'absent' }],
            `\`switchyard dev init${flags}\` writes the usual ones`,
          ),
        ],
  );
}

function openKeys(instance: Instance, { files }: CheckInput): Finding[] {
  return namedFiles(instance).keys.flatMap(({ value: path }) => {
    const facts = files.get(path);
    if (facts?.exists !== true || (facts.mode & 0o077) === 0) return [];
    const place = { file: path, key: 'mode', value: (facts.mode & 0o777).toString(8) };
    return [error('other users of this machine can read this key', [place], `chmod 600 ${quoted(path)}`)];
  });
}

function changedWhileRunning({ files, runningSinceMs, flags }: CheckInput): Finding[] {
  if (runningSinceMs === undefined) return [];
  const changed = [...files].filter(([, { exists, modifiedMs }]) => exists && modifiedMs > runningSinceMs);
  if (changed.length === 0) return [];
  return [
    warning(
      'changed since the services were started, which do not know it yet',
      changed.map(([file, { modifiedMs }]) => ({ file, key: 'changed', value: new Date(modifiedMs).toISOString() })),
      `switchyard dev stop${flags}, then run it again`,
    ),
  ];
}
