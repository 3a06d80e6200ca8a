import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { faucetAccount } from '@switchyard/network/accounts';
import { expect, test } from 'vitest';
import { checkInstance } from '../config/check/check.ts';
import { getSettings } from '../config/settings.ts';
import type { InstancePaths } from '../instance/home.ts';
import { readInstance } from '../instance/instance.ts';
import { planServices } from '../services/services.ts';
import { BUILT, scratchInstance } from '../testing.ts';
import { deriveGenesis } from './genesis-at-start.ts';
import { initInstance } from './init.ts';

const getConductors = (paths: InstancePaths) => {
  const instance = readInstance(paths, 'local', {});
  return Object.fromEntries(
    instance.network.services
      .filter(({ label }) => label.endsWith('conductor'))
      .map((entry) => [entry.label, getSettings(instance, entry).get('SVC_CONDUCTOR_EXECUTION_RPC_URL')?.value]),
  );
};
const getNames = (paths: InstancePaths) => [
  JSON.parse(readFileSync(paths.rollupGenesis, 'utf8')).rollup_name,
  JSON.parse(readFileSync(paths.evmGenesis, 'utf8')).config.switchyard.rollupName,
];
const MESSENGER = 'http://127.0.0.1:50061';
const EVM = 'http://127.0.0.1:50065';

test.each<[string, string, Record<string, string>, string[]]>([
  ['messenger', 'evm', { conductor: MESSENGER, 'evm-conductor': EVM }, ['messenger', 'evm']],
  ['evm', 'messenger', { conductor: EVM, 'rollup-conductor': MESSENGER }, ['messenger', 'evm']],
])('to an instance with %s, %s is added, and no line is changed', (present, added, conductors, names) => {
  const paths = scratchInstance({ template: present, portOffset: 10 });
  const before = [paths.networks, paths.base].map((path) => readFileSync(path, 'utf8').trimEnd());
  const report = initInstance(paths, { template: added });
  expect(report).toMatchObject({ added: added.split(','), template: 'messenger,evm', ignored: [] });
  const after = [paths.networks, paths.base].map((path) => readFileSync(path, 'utf8'));
  for (const [index, text] of after.entries()) expect(text.startsWith(before[index] ?? '?')).toBe(true);
  expect(getConductors(paths)).toEqual(conductors);
  expect(getNames(paths)).toEqual(names);
  expect(checkInstance(paths, { env: {} })).toEqual([]);
  expect(() => planServices(readInstance(paths, 'local', {}), {}, BUILT)).not.toThrow();
  // Nothing is left to add, and the added parts stay unchanged.
  expect(initInstance(paths, { template: 'messenger,evm' })).toMatchObject({ added: [], written: [], ignored: [] });
  expect([paths.networks, paths.base].map((path) => readFileSync(path, 'utf8'))).toEqual(after);
});

test.each([
  ['messenger,evm', { conductor: MESSENGER, 'evm-conductor': EVM }],
  ['evm', { conductor: EVM }],
])('with %s added, the conductor of an empty instance has to be ready, and not only to live', (added, conductors) => {
  const paths = scratchInstance({ template: 'empty', portOffset: 10 });
  const before = readFileSync(paths.networks, 'utf8');
  expect(before).toContain('/healthz');
  initInstance(paths, { template: added });
  const after = readFileSync(paths.networks, 'utf8');
  const gone = before.split('\n').filter((line) => !after.includes(line));
  expect(gone).toEqual([
    expect.stringMatching(/^# There is no rollup yet/),
    expect.stringMatching(/^ready = .*healthz"$/),
  ]);
  expect(getConductors(paths)).toEqual(conductors);
  expect(checkInstance(paths, { env: {} })).toEqual([]);
  const conductor = planServices(readInstance(paths, 'local', {}), {}, BUILT).find(({ name }) => name === 'conductor');
  expect(conductor?.ready).toMatchObject({ kind: 'http', url: expect.stringMatching(/\/readyz$/) });
});

test('before the first block the sequencer funds what the new rollup brings; afterwards its genesis stays', () => {
  const early = scratchInstance({ template: 'messenger' });
  initInstance(early, { template: 'evm' });
  deriveGenesis(readInstance(early, 'local', {}));
  expect(readFileSync(early.sequencerGenesis, 'utf8')).toContain(faucetAccount.address);
  expect(readFileSync(early.networks, 'utf8')).toContain('[networks.local.services.sequencer-faucet]');
  const late = scratchInstance({ template: 'messenger' });
  mkdirSync(join(late.data, 'sequencer'), { recursive: true });
  const genesis = readFileSync(late.sequencerGenesis, 'utf8');
  initInstance(late, { template: 'evm', skips: 41 });
  expect(readFileSync(late.sequencerGenesis, 'utf8')).toBe(genesis);
  expect(readFileSync(late.networks, 'utf8')).not.toContain('sequencer-faucet');
  expect(JSON.parse(readFileSync(late.evmGenesis, 'utf8')).config.switchyard.sequencer.startHeight).toBe(42);
});

test('a service of the user with the same label is an error, and nothing is written', () => {
  const paths = scratchInstance({ template: 'messenger' });
  const text = `${readFileSync(paths.networks, 'utf8')}\n[networks.local.services.evm]\nlocal_path = "/bin/true"\n`;
  writeFileSync(paths.networks, text);
  const base = readFileSync(paths.base, 'utf8');
  expect(() => initInstance(paths, { template: 'evm' })).toThrow('networks.local has a service evm already');
  expect([readFileSync(paths.networks, 'utf8'), readFileSync(paths.base, 'utf8')]).toEqual([text, base]);
});

test('two rollups of one name are an error', () => {
  const paths = scratchInstance({ template: 'evm', rollupName: 'messenger' });
  expect(() => initInstance(paths, { template: 'messenger' })).toThrow('the EVM rollup is called messenger');
});
