import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { signText } from '@switchyard/messenger/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNetwork, type Network, type Ran, root, run } from '../support/network.ts';
import { ALICE, ASSET, ask, nonceOf, post } from '../support/submitting.ts';

/**
 * Two instances: the first is the network, the second uses the first one's sequencer as a foreign one. Its composer
 * has an account of its own there, and its rollup another name.
 */
let far: Network;
let near: Network;
let composer: string;

const ALICE_KEY = '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90';
const POCKET_MONEY = '100000000';

/** A command whose environment has nothing but the place of its files. */
function plainly(...args: string[]): Promise<Ran> {
  const bin = join(root, 'packages', 'cli', 'bin', 'switchyard.mjs');
  const env = { SWITCHYARD_HOME: near.home, SEQUENCER_URL: '', ROLLUP_URL: '', SEQUENCER_PRIVATE_KEY: ALICE_KEY };
  return run(process.execPath, [bin, ...args], env);
}

const add = (...more: string[]) => near.switchyard('dev', 'network', 'add', 'far', '--instance', 'near', ...more);
const endpoints = () => ['--grpc', far.url('grpc'), '--rpc', far.url('rpc')];

beforeAll(async () => {
  far = await createNetwork({ instance: 'far' });
  near = await createNetwork({ instance: 'near' });
  await far.start();
});

afterAll(async () => {
  await near?.dispose();
  await far?.dispose();
});

test('a network is not added when one of its endpoints does not answer, or is of another chain', async () => {
  const nothing = 'http://127.0.0.1:9';
  const refused = [
    await add('--grpc', far.url('grpc'), '--rpc', nothing),
    await add('--grpc', nothing, '--rpc', far.url('rpc')),
    await add(...endpoints(), '--chain-id', 'other'),
  ];
  expect(refused.map(({ status, stderr }) => [status, stderr.split('\n').length])).toEqual([
    [1, 2],
    [1, 2],
    [1, 2],
  ]);
  expect(refused.map(({ stderr }) => stderr)).toEqual([
    expect.stringMatching(/^--rpc http:\/\/127\.0\.0\.1:9 does not answer as a sequencer's would: /),
    expect.stringMatching(/^--grpc http:\/\/127\.0\.0\.1:9 does not answer as a sequencer's would: /),
    `--chain-id other: the sequencer at ${far.url('rpc')} is of chain sequencer-test-chain-0\n`,
  ]);
  expect(JSON.parse((await near.switchyard('dev', 'network', 'list', '--instance', 'near', '--json')).stdout)).toEqual({
    instance: 'near',
    networks: [expect.objectContaining({ name: 'local', kind: 'local' })],
  });
});

test('a network is added with a key and a genesis of its own, and its configuration is OK', async () => {
  const { stdout } = await add(...endpoints(), '--rollup-name', 'parlour', '--json');
  const added = JSON.parse(stdout);
  expect(added).toMatchObject({
    name: 'far',
    chainId: 'sequencer-test-chain-0',
    asset: 'ntia',
    rollupName: 'parlour',
    composer: { address: expect.stringMatching(/^astria1/), balance: '0' },
  });
  composer = added.composer.address;
  expect(statSync(added.composer.keyFile).mode & 0o777).toBe(0o600);
  expect(await plainly('dev', 'config', 'check', '--instance', 'near')).toMatchObject({
    status: 0,
    stdout: 'instance near: configuration OK\n',
  });
});

test('nothing starts while the account of the composer is empty; its address is shown, and what to do', async () => {
  await expect(near.start('far')).rejects.toThrow('dev run ended with 1');
  expect(near.output()).toContain(
    `network far: the composer's account ${composer} holds nothing, so nothing could be submitted: send it some ntia, for example with \`switchyard sequencer transfer ${composer} --amount 1000000 --network far`,
  );
  const status = await plainly('dev', 'status', '--instance', 'near', '--json');
  expect(JSON.parse(status.stdout)).toMatchObject({ running: false });
  expect(existsSync(join(near.home, 'near', 'data', 'far'))).toBe(false);
});

test('the commands of the sequencer find the network in the same file', async () => {
  const named = ['--network', 'far', '--instance', 'near'];
  const sent = await plainly('sequencer', 'transfer', composer, '--amount', POCKET_MONEY, ...named);
  expect(sent).toMatchObject({ status: 0, stderr: '' });
  const { stdout } = await plainly('sequencer', 'balance', 'get', composer, ...named, '--json');
  expect(JSON.parse(stdout)).toEqual([{ denom: 'ntia', balance: POCKET_MONEY }]);
  expect(await plainly('sequencer', 'blockheight', 'get', '--network', 'fra', '--instance', 'near')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('no network "fra", there is local, far; did you mean "far"?'),
  });
});

test('composer, conductor and rollup work for the other sequencer, and only what belongs to them is seen', async () => {
  const ready = await near.start('far');
  expect(near.output()).toContain(`the composer pays from ${composer}, which holds ${POCKET_MONEY} ntia`);
  expect(near.output()).not.toContain('has no effect');
  const services = ready.services as { name: string }[]; // our own line; its members are asserted here
  expect(services.map(({ name }) => name).sort()).toEqual(['composer', 'conductor', 'messenger-faucet', 'rollup']);

  const url = near.url('rollup');
  expect((await ask(`${url}/v1/status`)).body.chainId).toBe('parlour');
  const text = { nonce: 0, chainId: 'parlour', text: 'from afar', from: 'alice', feeAsset: ASSET };
  const { body } = await post(`${url}/v1/transactions`, signText(text, ALICE));
  const outcome = await ask(`${url}/v1/transactions/${body.hash}?wait=executed`);
  expect(['executed', 'firm']).toContain(outcome.body.state);
  expect((await ask(`${far.url('rollup')}/v1/transactions/${body.hash}`)).status).toBe(404);

  const { stdout } = await plainly(
    'sequencer',
    'balance',
    'get',
    composer,
    '--network',
    'far',
    '--instance',
    'near',
    '--json',
  );
  const [held] = JSON.parse(stdout) as { balance: string }[]; // as printed by the test above
  expect(BigInt(held?.balance ?? 0)).toBeLessThan(BigInt(POCKET_MONEY));
});

test('what it has stored is there after a restart, and the local network of the same instance has none of it', async () => {
  await near.stop();
  await near.start('far');
  expect(await nonceOf(near.url('rollup'), ALICE)).toBe(1);
  const refused = await plainly('dev', 'network', 'remove', 'far', '--instance', 'near');
  expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('network far runs: stop it first') });
  await near.stop();
  await near.start();
  expect(await nonceOf(near.url('rollup'), ALICE)).toBe(0);
  await near.stop();
  expect((await plainly('dev', 'network', 'remove', 'far', '--instance', 'near')).status).toBe(0);
  const { stdout } = await plainly('dev', 'network', 'list', '--instance', 'near');
  expect(stdout.split('\n')).toHaveLength(2);
});
