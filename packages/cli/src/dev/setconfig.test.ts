import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { setBlockInterval, setRollupName } from './setconfig.ts';
import { scratchInstance, scratchPaths } from './testing.ts';

const text = (path: string) => readFileSync(path, 'utf8');
const edit = (path: string, from: string | RegExp, to: string) => writeFileSync(path, text(path).replace(from, to));

test('renames the rollup wherever its name stands, and nothing else', () => {
  const paths = scratchInstance();
  edit(paths.networks, 'rollup_name = "messenger"', "Rollup_Name='messenger' # mine");
  edit(
    paths.base,
    'svc_composer_rollups = ""',
    'svc_composer_rollups = "evm::ws://a:1, messenger::ws://127.0.0.1:8546" # two',
  );
  edit(paths.rollupGenesis, '{\n', '{\n  "chain_id": "messenger",\n');
  const before = [paths.networks, paths.base, paths.rollupGenesis].map(text);
  expect(setRollupName(paths, 'local', 'parlour')).toEqual([
    { file: paths.networks, key: 'networks.local.rollup_name', from: 'messenger', to: 'parlour' },
    { file: paths.rollupGenesis, key: 'chain_id', from: 'messenger', to: 'parlour' },
    { file: paths.rollupGenesis, key: 'rollup_name', from: 'messenger', to: 'parlour' },
    {
      file: paths.base,
      key: 'svc_composer_rollups',
      from: 'evm::ws://a:1, messenger::ws://127.0.0.1:8546',
      to: 'evm::ws://a:1, parlour::ws://127.0.0.1:8546',
    },
  ]);
  const [networks = '', base = '', genesis = ''] = before;
  expect(text(paths.networks)).toBe(networks.replace("Rollup_Name='messenger'", "Rollup_Name='parlour'"));
  expect(text(paths.base)).toBe(base.replace(', messenger::', ', parlour::'));
  expect(text(paths.rollupGenesis)).toBe(genesis.replaceAll('"messenger"', '"parlour"'));
  expect(setRollupName(paths, 'local', 'parlour')).toEqual([]);
});

test('an own chain id and the camel-case spelling of a genesis stay', () => {
  const paths = scratchInstance();
  edit(paths.rollupGenesis, '"rollup_name": "messenger"', '"chainId": "my-chain", "rollupName": "messenger"');
  setRollupName(paths, 'local', 'parlour');
  expect(JSON.parse(text(paths.rollupGenesis))).toMatchObject({ chainId: 'my-chain', rollupName: 'parlour' });
});

test.each([
  ['a b', 'local', 'rollup name: expected 1 to 50 of A-Z a-z 0-9 _ . -, got "a b"'],
  ['ok', 'moon', 'no network "moon", there is local'],
])('refuses %j on network %s and changes nothing', (name, network, message) => {
  const paths = scratchInstance();
  const before = text(paths.networks);
  expect(() => setRollupName(paths, network, name)).toThrow(message);
  expect(text(paths.networks)).toBe(before);
});

test('a broken genesis stops the change before the first file is written', () => {
  const paths = scratchInstance();
  writeFileSync(paths.rollupGenesis, '{ "rollup_name": ');
  const before = text(paths.networks);
  expect(() => setRollupName(paths, 'local', 'parlour')).toThrow(`${paths.rollupGenesis}: not valid JSON: `);
  expect(text(paths.networks)).toBe(before);
});

test('sets the block interval for the sequencer and for the conductor', () => {
  const paths = scratchInstance();
  expect(setBlockInterval(paths, '50').map(({ key, to }) => [key, to])).toEqual([
    ['svc_sequencer_block_interval_ms', '50'],
    ['svc_conductor_sequencer_block_time_ms', '50'],
  ]);
  expect(() => setBlockInterval(paths, '9')).toThrow(
    'expected a whole number of milliseconds from 10 to 60000, got "9"',
  );
});

test('an instance that was never made is refused', () => {
  expect(() => setRollupName(scratchPaths(), 'local', 'x')).toThrow('make it with `switchyard dev init');
});
