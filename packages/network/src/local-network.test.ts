import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BadOptions, evm, localNetwork, messenger } from './index.ts';
import { claimPorts, isFree } from './ports.ts';

test('a text is executed and firm, a deposit is credited, and nothing is left', async () => {
  const block = await claimPorts();
  const [rpc, collector, http] = [await block.next(), await block.next(), await block.next()];
  const listen = { sequencer: { rpc }, composer: { collector }, messenger: { http } };
  const network = await localNetwork({ rollups: [messenger()], listen });
  expect(network.urls.messenger?.http).toBe(`http://127.0.0.1:${http}`);
  const chat = network.client('messenger');
  const { hash } = await chat.submitText('hello', { from: 'al' });
  expect(await chat.waitFor(hash, 'firm')).toMatchObject({ state: 'firm' });
  expect(await chat.texts({ after: 0n })).toMatchObject([{ sender: 'al', message: 'hello' }]);

  const { bob } = network.accounts;
  const before = await chat.balance(bob.address);
  const { hash: source } = await network.deposit({ rollup: 'messenger', to: bob.address, amount: 500n });
  await expect
    .poll(async () => (await chat.deposits()).items, { timeout: 30_000 })
    .toMatchObject([{ sourceTransaction: source }]);
  expect(await chat.balance(bob.address)).toBe(before + 500n);
  expect(network.logs('sequencer').join('\n')).toContain('sequencer is ready');

  await network.close();
  expect(await Promise.all([rpc, collector, http].map(isFree))).toEqual([true, true, true]);
  await block.release();
  expect(existsSync(network.directory)).toBe(false);
});

test('two networks run beside each other, and one of them survives the other', async () => {
  await using one = await localNetwork({ rollups: [messenger()] });
  const other = await localNetwork({ rollups: [messenger({ name: 'chat' }), messenger({ name: 'more' })] });
  const clients = [one.client('messenger'), other.client('chat'), other.client('more')];
  const sent = await Promise.all(clients.map((client, index) => client.submitText(`text ${index}`)));
  await Promise.all(clients.map((client, index) => client.waitFor(sent[index]?.hash ?? '')));
  const texts = await Promise.all(clients.map((client) => client.texts({ after: 0n })));
  expect(texts.map((each) => each.map(({ message }) => message))).toEqual([['text 0'], ['text 1'], ['text 2']]);
  await other.close();
  const { hash } = await one.client('messenger').submitText('alone');
  expect(await one.client('messenger').waitFor(hash)).toMatchObject({ hash });
});

/** Kills are those of `local-network-faults.test.ts`. */
test('no part loses what was acknowledged when it is stopped and started', async () => {
  await using network = await localNetwork({ rollups: [messenger()] });
  const chat = network.client('messenger');
  const expected: string[] = [];
  for (const part of network.parts) {
    const text = `before the stop of ${part}`;
    const { hash } = await chat.submitText(text);
    expected.push(text);
    await network.stop(part);
    expect(network.isRunning(part)).toBe(false);
    await network.start(part);
    await chat.waitFor(hash);
  }
  expect((await chat.texts({ after: 0n, limit: 100 })).map(({ message }) => message)).toEqual(expected);
});

test('a network in a directory of its own resumes where it was', async () => {
  const directory = join(mkdtempSync(join(tmpdir(), 'network-')), 'kept');
  const options = { rollups: [messenger()], directory } as const;
  const first = await localNetwork(options);
  const { hash } = await first.client('messenger').submitText('stays');
  await first.client('messenger').waitFor(hash);
  await first.close();
  await using second = await localNetwork(options);
  expect(await second.client('messenger').texts({ after: 0n })).toMatchObject([{ message: 'stays' }]);
  await expect(localNetwork(options)).rejects.toThrow(
    `directory: a network of process ${process.pid} has ${directory}`,
  );
  await second.close();
  await expect(localNetwork({ ...options, chainId: 'another' })).rejects.toThrow(
    'genesis of rollup messenger: expected the sequencer chain id another, got local-chain',
  );
  rmSync(directory, { recursive: true });
});

/** How many there are of each. */
const counted = (names: readonly (string | symbol)[]) =>
  new Map([...new Set(names)].map((name) => [name, names.filter((each) => each === name).length]));
const handles = () => counted(process.getActiveResourcesInfo().filter((name) => name !== 'Immediate'));
const listeners = () =>
  counted(process.eventNames().flatMap((name) => process.listeners(name as 'exit').map(() => name)));

test('networks one after another leave no handles and no listeners', async () => {
  const before = [...handles(), ...listeners()];
  for (let count = 0; count < 5; count += 1) await (await localNetwork({ rollups: [messenger()] })).close();
  // Handles of other tests may end in the meantime, and connections a moment after their server.
  const more = () => [...handles(), ...listeners()].filter(([name, count]) => count > (new Map(before).get(name) ?? 0));
  await expect.poll(more, { timeout: 30_000 }).toEqual([]);
});

test('no port is opened but those that are asked for', async () => {
  const servers = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;
  const before = servers();
  await using network = await localNetwork({
    rollups: [messenger(), evm()],
    faucet: true,
    explorer: true,
    layer: true,
  });
  expect(servers()).toBe(before);
  expect(network.urls).toEqual({});
  expect((await network.fetch('messenger', '/readyz')).status).toBe(200);
  await expect(network.fetch('sequencer', '/')).rejects.toThrow('fetch: sequencer has no HTTP API');
});

test('a listener is opened on a free port in all parts that have it', async () => {
  await using network = await localNetwork({ rollups: [messenger(), evm()], listen: { http: 0, evm: { ws: 0 } } });
  const { messenger: chat, evm: node, ...others } = network.urls;
  expect(others).toEqual({});
  expect((await fetch(`${chat?.http}/readyz`)).status).toBe(200);
  expect((await fetch(`${node?.http}/readyz`)).status).toBe(200);
  expect(node?.ws).toMatch(/^ws:/);
});

test('a part that cannot be started is reported with its own line, and everything else is closed', async () => {
  const directory = join(mkdtempSync(join(tmpdir(), 'network-')), 'failed');
  const settings = { composer: { SVC_COMPOSER_PRIVATE_KEY_FILE: join(directory, 'absent') } };
  const block = await claimPorts();
  const listen = { sequencer: { rpc: await block.next() } };
  const error = await localNetwork({ rollups: [messenger()], directory, settings, listen }).catch(String);
  expect(error).toMatch(/^Error: composer has ended: .*absent/);
  expect(await isFree(listen.sequencer.rpc)).toBe(true);
  await block.release();
  rmSync(directory, { recursive: true });
});

const taken = createServer();

test.each([
  ['two rollups of one name', { rollups: [messenger(), messenger()] }, 'rollups: two have the name messenger'],
  ['the name of another part', { rollups: [messenger({ name: 'composer' })] }, 'is the name of another part'],
  ['a name that is none', { rollups: [messenger({ name: 'Chat!' })] }, 'got "Chat!"'],
  ['an unknown option', { rollups: [], fauset: true }, 'there is no option fauset; did you mean "faucet"?'],
  ['a faucet without a rollup', { rollups: [], faucet: true }, 'faucet: there is no rollup that it could pay on'],
  ['a pace that no sequencer has', { rollups: [], blockIntervalMs: 0 }, 'from 1 to 60000, got 0'],
  [
    'blocks of an unknown kind',
    { rollups: [], blocks: 'sometimes' },
    'blocks: expected automatic or manual, got "sometimes"',
  ],
  ['a pace of manual blocks', { rollups: [], blocks: 'manual', blockIntervalMs: 10 }, 'blockIntervalMs: leave it out'],
  [
    'a setting for the pace of manual blocks',
    { rollups: [], blocks: 'manual', settings: { sequencer: { SVC_SEQUENCER_EMPTY_BLOCK_INTERVAL_MS: '10' } } },
    'settings.sequencer.SVC_SEQUENCER_EMPTY_BLOCK_INTERVAL_MS: leave it out, since blocks are manual',
  ],
  ['a genesis that is no JSON', { rollups: [messenger({ genesis: '{' })] }, 'genesis of rollup messenger'],
  [
    'a genesis of another rollup',
    { rollups: [messenger({ genesis: '{"rollup_name":"a"}' })] },
    'genesis of rollup messenger',
  ],
  ['a port of an unknown part', { rollups: [], listen: { rollup: { http: 1 } } }, 'listen: there is no part rollup'],
  [
    'a port of an unknown listener',
    { rollups: [messenger()], listen: { messenger: { htp: 1 } } },
    'expected http, execution',
  ],
  ['a listener that no part has', { rollups: [], listen: { http: 0 } }, 'listen.http: no part has such a listener'],
  [
    'one port for several listeners',
    { rollups: [messenger(), messenger({ name: 'two' })], listen: { http: 3030 } },
    'listen.http: messenger, two have one each',
  ],
  [
    'a port that is stated twice',
    { rollups: [messenger()], listen: { http: 0, messenger: { http: 3030 } } },
    'listen.messenger.http: the port of messenger.http is stated twice',
  ],
  [
    'a port in quotes',
    { rollups: [messenger()], listen: { http: '0' } },
    'expected a port, or the ports of a part, got "0"',
  ],
  ['a port that is none', { rollups: [messenger()], listen: { http: 70_000 } }, 'or 0 for a free one, got 70000'],
  [
    'a setting with a wrong value',
    { rollups: [], settings: { composer: { SVC_COMPOSER_LOG: '!' } } },
    'settings.composer: SVC_COMPOSER_LOG',
  ],
])('refuses %s in one line before anything is started', async (_, options, message) => {
  const error = await localNetwork(options as Parameters<typeof localNetwork>[0]).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(BadOptions);
  expect(String(error)).toContain(message);
  expect(String(error)).not.toContain('\n');
});

test('refuses a port that is taken', async () => {
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as { port: number };
  await expect(localNetwork({ rollups: [messenger()], listen: { messenger: { http: port } } })).rejects.toThrow(
    `listen.messenger.http: port ${port} of 127.0.0.1 is taken`,
  );
  await new Promise((resolve) => taken.close(resolve));
});
