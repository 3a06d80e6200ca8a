import { expect, test } from 'vitest';
import type { Builtin } from '../services/builtin.ts';
import { KNOWN_SETTINGS, namesLike, statusOfSetting } from './known-settings.ts';

interface Field {
  readonly names: readonly string[];
  readonly fallback: string | undefined;
}

/** The table that a service reads its settings by. Loaded by path: the command line itself must not depend on it. */
async function tableOf(path: string, name: string): Promise<readonly Field[]> {
  const file = new URL(`../../../../${path}`, import.meta.url).href;
  const module: Record<string, Record<string, Field>> = await import(/* @vite-ignore */ file);
  return Object.values(module[name] ?? {});
}

test.each<[Builtin, string, string]>([
  ['sequencer', 'sequencer/src/config.ts', 'fields'],
  ['composer', 'composer/src/config.ts', 'fields'],
  ['conductor', 'conductor/src/config.ts', 'fields'],
  ['messenger', 'rollup/src/app/config.ts', 'rollupFields'],
  ['evm', 'evm/src/config.ts', 'evmFields'],
  ['faucet', 'faucet/src/config.ts', 'fields'],
])('the settings of %s are those that it reads, with its defaults', async (builtin, path, name) => {
  const fields = await tableOf(path, name);
  expect(fields).not.toEqual([]);
  expect(KNOWN_SETTINGS[builtin]).toEqual(
    Object.fromEntries(fields.map(({ names, fallback }) => [names[0], fallback])),
  );
  const aliases = fields.flatMap(({ names }) => names.slice(1));
  expect(aliases.filter((alias) => statusOfSetting(alias) !== 'known')).toEqual([]);
});

test.each([
  ['SVC_COMPOSER_FEE_ASSET', 'known'],
  ['REST_ADDR', 'known'],
  ['SVC_CONDUCTOR_CELESTIA_BLOCK_TIME_MS', 'ignored'],
  ['SVC_CONDUCTOR_NO_CELESTIA_AUTH', 'ignored'],
  ['SVC_COMPOSER_FEE_ASET', 'unknown'],
  ['MY_ROLLUP_KEY', 'free'],
])('%s is %s', (name, status) => {
  expect(statusOfSetting(name)).toBe(status);
});

test('a name is only likened to those of its own service', () => {
  expect(namesLike('SVC_COMPOSER_LOG').every((name) => name.startsWith('SVC_COMPOSER_'))).toBe(true);
  expect(namesLike('REST_ADR')).toContain('REST_ADDR');
  expect(namesLike('REST_ADR')).not.toContain('SVC_COMPOSER_LOG');
});
