import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { setSequencerChainId } from '../config/setconfig.ts';
import type { InstancePaths } from '../instance/home.ts';
import { scratchInstance } from '../testing.ts';
import { applyRewrites, otherNetworks, planConfigReset, planNetworksReset, type Rewrite } from './reset-config.ts';

const text = (path: string) => readFileSync(path, 'utf8');
const getFiles = ({ networks, base, sequencerGenesis, rollupGenesis, validatorKey, composerKey }: InstancePaths) =>
  Object.fromEntries(
    [networks, base, sequencerGenesis, rollupGenesis, validatorKey, composerKey].map((path) => [path, text(path)]),
  );
const NOW = new Date('2025-03-04T05:06:07Z');
const planned = (rewrites: readonly Rewrite[]) =>
  rewrites.map(({ path, backup, needsNewState }) => [path, backup, needsNewState]);

test('what is unchanged stays as it is, the genesis with its time', () => {
  const paths = scratchInstance({ portOffset: 70, rollupName: 'parlour', nativeDenom: 'unit' });
  expect(planConfigReset(paths)).toEqual([]);
  expect(planNetworksReset(paths)).toEqual([]);
});

test('a changed file is as new again, and what was changed is kept beside it', () => {
  const paths = scratchInstance();
  const fresh = text(paths.base);
  appendFileSync(paths.base, 'mine = "1"\n');
  const edited = text(paths.base);
  const rewrites = planConfigReset(paths);
  expect(planned(rewrites)).toEqual([[paths.base, true, false]]);
  expect(applyRewrites(paths, rewrites, NOW)).toEqual([`${paths.base}.20250304-050607.bak`]);
  expect([text(paths.base), text(`${paths.base}.20250304-050607.bak`)]).toEqual([fresh, edited]);
  appendFileSync(paths.base, 'again = "1"\n');
  expect(applyRewrites(paths, planConfigReset(paths), NOW)).toEqual([`${paths.base}.20250304-050607.bak.2`]);
});

test('names and ports are those of the network file, and the other way round', () => {
  const paths = scratchInstance({ portOffset: 70, rollupName: 'parlour' });
  setSequencerChainId(paths, { network: 'local' }, 'mine');
  const agreed = getFiles(paths);
  for (const path of [paths.base, paths.rollupGenesis]) rmSync(path);
  applyRewrites(paths, planConfigReset(paths));
  expect(getFiles(paths)).toEqual(agreed);
  writeFileSync(paths.networks, '[networks.other]\n');
  applyRewrites(paths, planNetworksReset(paths));
  expect(getFiles(paths)).toEqual(agreed);
});

test('a changed genesis begins a new chain', () => {
  const paths = scratchInstance();
  writeFileSync(paths.sequencerGenesis, text(paths.sequencerGenesis).replace('"10"', '"11"'));
  const rewrites = planConfigReset(paths, { now: NOW });
  expect(planned(rewrites)).toEqual([[paths.sequencerGenesis, true, true]]);
  expect(rewrites[0]?.text).toContain('"genesis_time": "2025-03-04T05:06:07.000Z"');
});

test('keys stay, unless they are asked for; copies of keys are as closed as the keys', () => {
  const paths = scratchInstance();
  const keys = [text(paths.validatorKey), text(paths.composerKey)];
  writeFileSync(paths.composerKey, '11'.repeat(32));
  expect(planConfigReset(paths)).toEqual([]);
  const backups = applyRewrites(paths, planConfigReset(paths, { keys: true }), NOW);
  expect(text(paths.validatorKey)).not.toBe(keys[0]);
  expect(text(paths.composerKey)).toBe(keys[1]);
  expect(text(paths.sequencerGenesis)).toContain(JSON.parse(text(paths.validatorKey)).pub_key.value);
  const closed = [paths.validatorKey, paths.composerKey];
  const copies = backups.filter((path) => closed.some((key) => path.startsWith(key)));
  expect(copies).toHaveLength(2);
  for (const path of [...closed, ...copies]) expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('when a file cannot be written, all stay as they were', () => {
  const paths = scratchInstance();
  appendFileSync(paths.base, 'mine = "1"\n');
  writeFileSync(paths.rollupGenesis, '{}');
  const before = getFiles(paths);
  const rewrites = planConfigReset(paths);
  rmSync(paths.rollupGenesis);
  expect(() => applyRewrites(paths, rewrites, NOW)).toThrow('rollup_genesis.json');
  writeFileSync(paths.rollupGenesis, '{}');
  expect(getFiles(paths)).toEqual(before);
  expect(readdirSync(paths.config).filter((name) => name.endsWith('.new'))).toEqual([]);
});

test('a network file that is broken, or has other networks, is replaced too', () => {
  const paths = scratchInstance({ rollupName: 'parlour', portOffset: 5 });
  const fresh = text(paths.networks);
  appendFileSync(paths.networks, '[networks.far]\n');
  expect(otherNetworks(paths)).toEqual(['far']);
  appendFileSync(paths.networks, 'oops = = 1\n');
  expect(otherNetworks(paths)).toEqual([]);
  applyRewrites(paths, planNetworksReset(paths));
  expect(text(paths.networks)).toBe(fresh);
});
