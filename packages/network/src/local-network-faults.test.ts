import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sequencerClient } from '@switchyard/client';
import { sleep } from '@switchyard/service';
import { expect, test } from 'vitest';
import { BadOptions, localNetwork, type MessengerClient, messenger } from './index.ts';

const HOUR = 3_600_000;

const messages = async (chat: MessengerClient) =>
  (await chat.texts({ after: 0n, limit: 100 })).map(({ message }) => message);

async function send(chat: MessengerClient, text: string): Promise<void> {
  const { hash } = await chat.submitText(text);
  await chat.waitFor(hash);
}

test('a part that is killed is started at once, and nothing acknowledged is lost', async () => {
  await using network = await localNetwork({ rollups: [messenger()], layer: true });
  const chat = network.client('messenger');
  const expected: string[] = [];
  for (const part of network.parts) {
    const text = `before the end of ${part}`;
    const { hash } = await chat.submitText(text);
    expected.push(text);
    await network.kill(part);
    expect(network.isRunning(part)).toBe(false);
    await network.start(part);
    await chat.waitFor(hash, 'firm');
  }
  expect(await messages(chat)).toEqual(expected);
  expect(network.failed.aborted).toBe(false);
});

test('an answer that waits in a killed part is lost with its connection', async () => {
  await using network = await localNetwork({ rollups: [messenger()], listen: { http: 0 } });
  const chat = network.client('messenger');
  network.link('messenger-conductor', 'sequencer').cut();
  const { hash } = await chat.submitText('in no block of the rollup');
  const url = `${network.urls.messenger?.http}/v1/transactions/${hash}?wait=executed&timeoutMs=20000`;
  const outcome = fetch(url).then(
    ({ status }) => status,
    () => 'lost',
  );
  await expect.poll(async () => (await chat.transaction(hash))?.state, { timeout: 30_000 }).toBe('sequenced');
  await network.kill('messenger');
  expect(await outcome).toBe('lost');
});

test('over a cut link no block arrives until it heals', async () => {
  await using network = await localNetwork({ rollups: [messenger()] });
  const chat = network.client('messenger');
  await send(chat, 'before');
  const link = network.link('messenger-conductor', 'sequencer');
  link.cut();
  const { hash } = await chat.submitText('meanwhile');
  await expect.poll(async () => (await chat.transaction(hash))?.state, { timeout: 30_000 }).toBe('sequenced');
  expect(await messages(chat)).toEqual(['before']);
  link.heal();
  await chat.waitFor(hash);
  expect(await messages(chat)).toEqual(['before', 'meanwhile']);
});

test('over a link that delays and drops, texts arrive once', async () => {
  await using network = await localNetwork({ rollups: [messenger()] });
  const chat = network.client('messenger');
  const links = [network.link('composer', 'sequencer'), network.link('sequencer', 'messenger-conductor')];
  for (const link of links) link.delay(20);
  await send(chat, 'slow');
  for (const link of links) link.delay(0);
  for (const link of links) link.drop(3);
  await send(chat, 'lost and found');
  expect(await messages(chat)).toEqual(['slow', 'lost and found']);
});

test('a link between parts that are not there is refused', async () => {
  await using network = await localNetwork({ rollups: [] });
  expect(() => network.link('composer', 'composr')).toThrow(
    new BadOptions('link: there is no part composr: expected sequencer, composer'),
  );
  expect(() => network.link('composer', 'composer')).toThrow('link: expected two parts, got composer twice');
});

test('a network is reverted to a snapshot again and again, and its clients continue', async () => {
  await using network = await localNetwork({ rollups: [messenger()], layer: true });
  const chat = network.client('messenger');
  const { bob } = network.accounts;
  const balance = await chat.balance(bob.address);
  await send(chat, 'stays');
  // In no block yet, perhaps.
  await chat.submitText('stays too');
  const snapshot = network.snapshot();
  for (const round of ['first', 'second', 'third']) {
    await send(chat, round);
    await chat.waitFor((await chat.submitTransfer(bob.address, 5n)).hash, 'firm');
    if (round === 'second') await network.stop('composer');
    await network.revert(snapshot);
    await expect.poll(() => messages(chat), { timeout: 30_000 }).toEqual(['stays', 'stays too']);
    expect(await chat.balance(bob.address)).toBe(balance);
    expect(network.parts.filter((part) => !network.isRunning(part))).toEqual([]);
  }
  const { hash } = await chat.submitText('continues');
  await chat.waitFor(hash, 'firm');
  expect(await messages(chat)).toEqual(['stays', 'stays too', 'continues']);
});

test('an explorer forgets what was after the snapshot, and has what was before it', async () => {
  await using network = await localNetwork({ rollups: [messenger()], explorer: true });
  const deposit = async () =>
    (await network.deposit({ rollup: 'messenger', to: network.accounts.bob.address, amount: 1n })).hash;
  const getStatus = async (hash: string) => (await network.fetch('explorer', `/v1/transactions/${hash}`)).status;
  const before = await deposit();
  const snapshot = network.snapshot();
  for (const _ of [1, 2]) {
    const after = await deposit();
    await expect.poll(() => getStatus(after), { timeout: 30_000 }).toBe(200);
    await network.revert(snapshot);
    await expect.poll(() => getStatus(before), { timeout: 30_000 }).toBe(200);
    expect(await getStatus(after)).toBe(404);
  }
});

test('a snapshot of stores in files, or of another network, is refused in one line', async () => {
  const directory = join(mkdtempSync(join(tmpdir(), 'network-')), 'kept');
  await using one = await localNetwork({ rollups: [messenger()] });
  {
    await using kept = await localNetwork({ rollups: [], directory });
    expect(() => kept.snapshot()).toThrow(
      new BadOptions('snapshot: the stores of sequencer are in files, not in memory'),
    );
    const elsewhere = { explorer: { SVC_EXPLORER_DB_FILEPATH: join(directory, 'elsewhere') } };
    await using mixed = await localNetwork({ rollups: [messenger()], explorer: true, settings: elsewhere });
    expect(() => mixed.snapshot()).toThrow('snapshot: the stores of explorer are in files, not in memory');
    await expect(mixed.revert(one.snapshot())).rejects.toThrow('revert: the snapshot is of another network');
  }
  rmSync(directory, { recursive: true });
});

test('an hour passes at once: a block has the later time, and what waits for it is over', async () => {
  await using network = await localNetwork({ rollups: [messenger()] });
  const chat = network.client('messenger');
  await send(chat, 'now');
  const waited = sleep(HOUR);
  await network.advanceTime(HOUR);
  await waited;
  await send(chat, 'later');
  const [now = 0, later = 0] = (await chat.texts({ after: 0n })).map(({ time = '' }) => Date.parse(time));
  expect(later - now).toBeGreaterThanOrEqual(HOUR);
  await expect(network.advanceTime(-1)).rejects.toThrow('advanceTime: expected a whole number of milliseconds, got -1');
});

test('blocks are made without transactions', async () => {
  await using network = await localNetwork({ rollups: [messenger()], listen: { rpc: 0 } });
  const sequencer = sequencerClient({ rpcUrl: network.urls.sequencer?.rpc ?? '' });
  const before = (await sequencer.status()).latestHeight;
  await network.mine(10);
  expect((await sequencer.status()).latestHeight).toBeGreaterThanOrEqual(before + 10n);
  sequencer.close();
  await send(network.client('messenger'), 'afterwards');
  await expect(network.mine(0)).rejects.toThrow('mine: expected a number of blocks, got 0');
  await network.stop('sequencer');
  await expect(network.mine(1)).rejects.toThrow('mine: the sequencer does not run');
});
