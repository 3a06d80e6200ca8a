import { expect, test } from 'vitest';
import { BUILTINS } from '../services/builtin.ts';
import { KNOWN_SETTINGS, namesLike, statusOfSetting } from './known-settings.ts';

test('every service is known with the settings that it reads', () => {
  expect(Object.keys(KNOWN_SETTINGS).sort()).toEqual(Object.keys(BUILTINS).sort());
  for (const known of Object.values(KNOWN_SETTINGS)) expect(known.size).toBeGreaterThan(15);
});

test.each([
  ['SVC_COMPOSER_FEE_ASSET', 'known'],
  ['REST_ADDR', 'known'],
  ['SVC_COMPOSER_BLOCK_TIME_MS', 'known'],
  ['RUST_LOG', 'known'],
  ['NODE_OPTIONS', 'known'],
  ['SVC_CONDUCTOR_CELESTIA_BLOCK_TIME_MS', 'known'],
  ['SVC_CONDUCTOR_CELESTIA_BEARER_TOKEN', 'ignored'],
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
