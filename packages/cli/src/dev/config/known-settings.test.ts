import { expect, test } from 'vitest';
import { PORTS } from '../instance/ports.ts';
import { BUILTINS, isBuiltin } from '../services/builtin.ts';
import { defaultOf, KNOWN_SETTINGS, namesLike, statusOfSetting } from './known-settings.ts';
import { NETWORK_KEYS } from './network-settings.ts';

test('every service is known with the settings that it reads', () => {
  expect(Object.keys(KNOWN_SETTINGS).sort()).toEqual(Object.keys(BUILTINS).sort());
  for (const known of Object.values(KNOWN_SETTINGS)) expect(known.size).toBeGreaterThan(15);
});

test.each(Object.entries(BUILTINS))('%s reads the settings of its listeners and of its store', (name, builtin) => {
  if (!isBuiltin(name)) throw new Error(name);
  const { listeners, store, ready } = builtin;
  const named = [ready.setting, ...(store === undefined ? [] : [store])];
  for (const { setting, metrics } of listeners) named.push(setting, ...(metrics === undefined ? [] : [metrics.unless]));
  expect(named.filter((setting) => !KNOWN_SETTINGS[name].has(setting))).toEqual([]);
});

test('what a network decides is read by a service', () => {
  expect(Object.keys(NETWORK_KEYS).filter((name) => statusOfSetting(name) !== 'known')).toEqual([]);
});

test('the ports of the first instance are those that services take by themselves', () => {
  const defaults = Object.values(BUILTINS).flatMap(({ listeners }) =>
    listeners.map(({ setting }) => defaultOf(setting)),
  );
  const ports = defaults.map((address) => Number(address?.split(':').at(-1)));
  const abci = 26_658;
  expect(ports.filter((port) => port !== abci && !Object.values<number>(PORTS).includes(port))).toEqual([]);
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
