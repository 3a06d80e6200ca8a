import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alice, bob } from '@switchyard/network/accounts';
import { expect, test } from 'vitest';
import { switchyard } from '../../switchyard.ts';
import { runWith } from '../../testing.ts';
import { readToml } from '../files/toml.ts';

const scratch = () => join(mkdtempSync(join(tmpdir(), 'switchyard-net-')), 'net');
const json = (...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8'));

function make(output: string, ...more: string[]) {
  const args = ['network', 'testnet', '--output', output, ...more];
  return runWith((cli, connect) => switchyard(cli, args, connect), args);
}

test('every machine gets a directory with its own keys, closed to others, and the same genesis', async () => {
  const output = scratch();
  const hosts = ['--hosts', '10.0.0.1,10.0.0.2,far.example'];
  const ran = await make(output, '--validators', '2', '--full-nodes', '1', ...hosts, '--json');
  expect(ran).toMatchObject({ status: 0, stderr: '' });
  const made = JSON.parse(ran.stdout);
  expect(made.nodes.map(({ name, kind, host }: Record<string, string>) => [name, kind, host])).toEqual([
    ['node-0', 'validator', '10.0.0.1'],
    ['node-1', 'validator', '10.0.0.2'],
    ['node-2', 'full node', 'far.example'],
  ]);
  const secrets = [0, 1, 2].flatMap((node) =>
    ['node_key.json', 'priv_validator_key.json'].map((name) => {
      const path = join(output, `node-${node}`, 'cometbft', 'config', name);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      return json(path).priv_key.value;
    }),
  );
  expect(new Set(secrets).size).toBe(6);
  for (const [index, secret] of secrets.entries()) {
    const own = `node-${Math.floor(index / 2)}/`;
    const files = readdirSync(output, { recursive: true, encoding: 'utf8' }).filter(
      (path) => !path.startsWith(own) && statSync(join(output, path)).isFile(),
    );
    expect(files.filter((path) => readFileSync(join(output, path), 'utf8').includes(secret))).toEqual([]);
  }
  const genesis = (node: number) =>
    readFileSync(join(output, `node-${node}`, 'cometbft', 'config', 'genesis.json'), 'utf8');
  expect([genesis(1), genesis(2)]).toEqual([genesis(0), genesis(0)]);
  expect(JSON.parse(genesis(0))).toMatchObject({
    chain_id: 'switchyard-testnet',
    validators: [{ power: '10' }, { power: '10' }],
    app_state: { accounts: [{ address: { bech32m: made.account.address } }] },
  });
  expect(readToml(join(output, 'node-1', 'cometbft', 'config', 'config.toml'))).toMatchObject({
    rpc: { laddr: 'tcp://127.0.0.1:26657' },
    p2p: {
      external_address: '10.0.0.2:26656',
      persistent_peers: `${made.nodes[0].nodeId}@10.0.0.1:26656,${made.nodes[2].nodeId}@far.example:26656`,
    },
  });
});

test('the funds go to a new key that only its owner can read, or to whom they are given', async () => {
  const [one, two] = [scratch(), scratch()];
  await make(one, '--validators', '1');
  expect(statSync(join(one, 'genesis_account_key')).mode & 0o777).toBe(0o600);
  await make(two, '--validators', '1', '--account', `${bob.address}=77`, '--sudo', alice.address);
  expect(readdirSync(two)).toEqual(['node-0']);
  expect(json(two, 'node-0', 'cometbft', 'config', 'genesis.json').app_state).toMatchObject({
    accounts: [{ address: { bech32m: bob.address }, balance: { lo: '77' } }],
    authority_sudo_address: { bech32m: alice.address },
  });
});

test('what cannot be is refused in one line, and nothing is written', async () => {
  const output = scratch();
  const refused = async (...more: string[]) => (await make(output, ...more)).stderr;
  expect([
    await refused('--hosts', 'a,b'),
    await refused('--validators', '2', '--hosts', 'a,a'),
    await refused('--validators', '1', '--hosts', 'a:26656'),
    await refused('--listen', 'everywhere'),
    await refused('--account', 'unknown=1'),
    await refused('--block-interval', '5'),
  ]).toEqual([
    '--hosts: expected one for each of the 4 nodes, validators first, got 2\n',
    expect.stringMatching(/^--hosts: a is named twice: .*\n$/),
    '--hosts: expected names or addresses without ports, got "a:26656"\n',
    '--listen: expected an IP address, got "everywhere"\n',
    expect.stringMatching(/^--account: .*\n$/),
    expect.stringMatching(/^--block-interval: .*\n$/),
  ]);
  mkdirSync(output);
  writeFileSync(join(output, 'mine'), '');
  expect(await refused()).toBe(`--output: ${output} is not empty: name a directory that is, or a new one\n`);
  expect(readdirSync(output)).toEqual(['mine']);
});
