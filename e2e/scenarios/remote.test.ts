import { appendFileSync, chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signText } from '@switchyard/messenger/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNetwork, type Network, type Ran, root, run, until } from '../support/network.ts';
import { ALICE, ASSET, ask, getNonce, post } from '../support/submitting.ts';
import { type TokenProxy, tokenProxy } from '../support/token-proxy.ts';

/**
 * Two instances: the first is the network, the second uses the first one's sequencer as a foreign one. Its composer
 * has an account of its own there, and its rollup another name. Both have a layer: the second reads that of the first.
 */
let far: Network;
let near: Network;
let starting: ReturnType<Network['start']>;
let composer: string;
let lightNode: TokenProxy;

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
  const init = ['--data-availability', 'local'];
  far = await createNetwork({ instance: 'far', init });
  near = await createNetwork({ instance: 'near', init });
  await far.start();
  lightNode = await tokenProxy(`http://127.0.0.1:${26_651 + far.offset}`);
});

afterAll(async () => {
  await near?.dispose();
  await lightNode?.close();
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

test('the composer waits while its account is empty, and states its address', async () => {
  starting = near.start('far');
  // It is awaited once the account has funds.
  starting.catch(() => undefined);
  await until(
    'the composer states why it waits',
    () => near.output().includes(`account ${composer} has 0 ntia`) || undefined,
  );
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
  const ready = await starting;
  expect(near.output()).not.toContain('has no effect');
  const services = ready.services as { name: string }[]; // our own line; its members are asserted here
  expect(services.map(({ name }) => name).sort()).toEqual(['composer', 'conductor', 'messenger-faucet', 'rollup']);

  const url = near.url('rollup');
  const { chainId } = (await ask(`${url}/v1/status`)).body;
  expect(chainId).toMatch(/^parlour-[0-9a-f]{16}$/);
  // The network names no layer, and that of this instance has other blocks.
  expect((await ask(`${near.url('conductor')}/status`)).body.commitLevel).toBe('SoftIsFirm');
  const text = { nonce: 0, chainId, text: 'from afar', from: 'alice', feeAsset: ASSET };
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
  expect(await getNonce(near.url('rollup'), ALICE)).toBe(1);
  const refused = await plainly('dev', 'network', 'remove', 'far', '--instance', 'near');
  expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('network far runs: stop it first') });
  await near.stop();
  await near.start();
  expect(await getNonce(near.url('rollup'), ALICE)).toBe(0);
  await near.stop();
  expect((await plainly('dev', 'network', 'remove', 'far', '--instance', 'near')).status).toBe(0);
  const { stdout } = await plainly('dev', 'network', 'list', '--instance', 'near');
  expect(stdout.split('\n')).toHaveLength(2);
});

/** The first block of the layer, which stands for a block that a person knows to be right. */
async function firstHash(): Promise<string> {
  const call = { jsonrpc: '2.0', id: 1, method: 'header.GetByHeight', params: [1] };
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(call) };
  return (await ask(lightNode.unprotected, init)).body.result.commit.block_id.hash;
}

const tokenFile = () => join(near.home, 'read.token');

test('a network with a layer is not started before the file with its token is in order', async () => {
  const named = ['--instance', 'near'];
  const added = await near.switchyard(
    ...['dev', 'network', 'add', 'firm', ...named, ...endpoints(), '--rollup-name', 'study', '--json'],
  );
  const { address } = JSON.parse(added.stdout).composer;
  const sent = await plainly('sequencer', 'transfer', address, '--amount', POCKET_MONEY, '--network', 'firm', ...named);
  expect(sent.status).toBe(0);
  const networks = join(near.home, 'near', 'networks-config.toml');
  appendFileSync(
    networks,
    `
[networks.firm.data_availability]
node_url = "${lightNode.url}"
chain_id = "local-da"
trusted_height = 1
trusted_hash = "${await firstHash()}"
token_file = "${tokenFile()}"
`,
  );
  const where = `${networks}: networks.firm.data_availability.token_file: ${tokenFile()}`;
  const refused = async (reason: string) => {
    await expect(near.start('firm')).rejects.toThrow('dev run ended with 1');
    expect(near.output()).toContain(`${where}: ${reason}`);
    const check = await plainly('dev', 'config', 'check', ...named);
    expect(check.status).toBe(1);
    expect(check.stdout).toContain(reason);
    for (const text of [near.output(), check.stdout, check.stderr]) expect(text).not.toContain(lightNode.token);
  };
  await refused('expected a file with one token, got nothing');
  writeFileSync(tokenFile(), `${lightNode.token}\n`, { mode: 0o644 });
  await refused('expected a file of mode 600, got mode 644');
  chmodSync(tokenFile(), 0o600);
  writeFileSync(tokenFile(), `${lightNode.token} ${lightNode.token}\n`);
  await refused('expected one token, got');
  expect(existsSync(join(near.home, 'near', 'data', 'firm'))).toBe(false);
}, 120_000);

test('with the token blocks become firm from the layer of the other network, and no process has it but the conductor', async () => {
  writeFileSync(tokenFile(), `${lightNode.token}\n`);
  expect(await plainly('dev', 'config', 'check', '--instance', 'near')).toMatchObject({ status: 0 });
  const { services } = (await near.start('firm')) as { services: { name: string }[] };
  expect(services.map(({ name }) => name)).not.toContain('da');
  const url = near.url('rollup');
  const { chainId } = (await ask(`${url}/v1/status`)).body;
  const text = { nonce: 0, chainId, text: 'firm from afar', from: 'alice', feeAsset: ASSET };
  const { body } = await post(`${url}/v1/transactions`, signText(text, ALICE));
  const state = async () => (await ask(`${url}/v1/transactions/${body.hash}`)).body.state;
  await until('the text is firm', async () => ((await state()) === 'firm' ? true : undefined), 60_000, 100);
  const conductor = (await ask(`${near.url('conductor')}/status`)).body;
  expect(conductor).toMatchObject({ commitLevel: 'SoftAndFirm' });
  expect(Number(conductor.firmLayerHeight)).toBeGreaterThan(1);
  expect(lightNode.refused()).toBe(0);
  const doctor = JSON.parse((await near.switchyard('dev', 'doctor', '--instance', 'near', '--json')).stdout);
  const found = (check: string) => doctor.findings.filter((each: { check: string }) => each.check === check);
  expect(found('layer')).toMatchObject([
    { level: 'ok', text: expect.stringContaining(`${lightNode.url} is of chain local-da`) },
  ]);
  expect(found('firm')).toMatchObject([{ level: 'ok' }]);
  expect(existsSync(join(near.home, 'near', 'data', 'firm', 'conductor-layer-header.json'))).toBe(true);

  const pids = await Promise.all(['composer', 'conductor', 'rollup'].map((name) => near.pid(name)));
  const seen = pids.flatMap((pid) =>
    ['cmdline', 'environ'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8')),
  );
  const logs = join(near.home, 'near', 'logs');
  const logged = readdirSync(logs, { recursive: true, encoding: 'utf8' })
    .map((name) => join(logs, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'utf8'));
  for (const each of [...seen, ...logged, near.output()]) expect(each).not.toContain(lightNode.token);
  await near.stop();
}, 120_000);
