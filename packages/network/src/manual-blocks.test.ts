import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sequencerClient } from '@switchyard/client';
import { expect, test } from 'vitest';
import { evm, type LocalNetwork, localNetwork, messenger } from './index.ts';

/** For a machine that is busy. */
const PATIENT = { timeout: 30_000 };

async function getHeight({ urls }: LocalNetwork): Promise<bigint> {
  const sequencer = sequencerClient({ rpcUrl: urls.sequencer?.rpc ?? '' });
  try {
    return (await sequencer.status()).latestHeight;
  } finally {
    sequencer.close();
  }
}

/** Mines until `work` is done, which needs blocks. */
async function mining<T>(network: LocalNetwork, work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  done.catch(() => undefined);
  while (!isDone) await network.mine(1);
  return done;
}

test('a block is made when it is asked for, with all that waits, and neither time nor a transaction makes one', async () => {
  await using network = await localNetwork({ listen: { rpc: 0 }, rollups: [messenger()], blocks: 'manual' });
  const chat = network.client('messenger');
  expect(await getHeight(network)).toBe(1n);
  const sent = [await chat.submitText('one'), await chat.submitText('two')];
  await network.advanceTime(60_000);
  expect(await getHeight(network)).toBe(1n);
  await network.mine(3);
  expect(await getHeight(network)).toBe(4n);
  const outcomes = await Promise.all(sent.map(({ hash }) => chat.waitFor(hash, 'firm')));
  expect(outcomes.map(({ block }) => block)).toEqual([outcomes[0]?.block, outcomes[0]?.block]);
  expect(await getHeight(network)).toBe(4n);
});

test('what a rollup has acknowledged is in the first block that is made then', async () => {
  await using network = await localNetwork({ listen: { rpc: 0 }, rollups: [messenger()], blocks: 'manual' });
  const chat = network.client('messenger');
  for (let round = 0; round < 5; round += 1) {
    const height = await getHeight(network);
    const sent = await Promise.all([chat.submitText(`one ${round}`), chat.submitText(`two ${round}`)]);
    await network.mine(2);
    const outcomes = await Promise.all(sent.map(({ hash }) => chat.waitFor(hash)));
    expect(outcomes.map(({ sequencerHeight }) => sequencerHeight)).toEqual([height + 1n, height + 1n]);
  }
});

test('a deposit is credited once it is mined', async () => {
  await using network = await localNetwork({ listen: { rpc: 0 }, rollups: [messenger()], blocks: 'manual' });
  const chat = network.client('messenger');
  const { bob } = network.accounts;
  const before = await chat.balance(bob.address);
  for (const amount of [5n, 7n]) {
    await mining(network, network.deposit({ rollup: 'messenger', to: bob.address, amount }));
  }
  await expect.poll(() => chat.balance(bob.address), PATIENT).toBe(before + 12n);
});

test('with manual blocks a sequencer is restarted, killed and reverted, and the network continues', async () => {
  await using network = await localNetwork({
    listen: { rpc: 0 },
    rollups: [messenger()],
    blocks: 'manual',
    layer: true,
  });
  const chat = network.client('messenger');
  const send = async (text: string) => {
    const { hash } = await chat.submitText(text);
    await mining(network, chat.waitFor(hash, 'firm'));
  };
  await send('before');
  await network.restart('sequencer');
  await send('restarted');
  const snapshot = network.snapshot();
  const height = await getHeight(network);
  await network.kill('sequencer');
  await expect(network.mine(1)).rejects.toThrow('mine: the sequencer does not run');
  await network.start('sequencer');
  expect(await getHeight(network)).toBe(height);
  await send('killed');
  await network.revert(snapshot);
  expect(await getHeight(network)).toBe(height);
  await network.mine(1);
  expect(await getHeight(network)).toBe(height + 1n);
  await send('reverted');
  const texts = await chat.texts({ after: 0n, limit: 100 });
  expect(texts.map(({ message }) => message)).toEqual(['before', 'restarted', 'reverted']);
});

test('blocks that a killed sequencer was to make are refused', async () => {
  await using network = await localNetwork({ listen: { rpc: 0 }, rollups: [], blocks: 'manual' });
  const mined = expect(network.mine(1_000)).rejects.toThrow('the sequencer has ended before the block was made');
  await network.kill('sequencer');
  await mined;
});

test('with manual blocks everything becomes ready, and a directory is opened again', async () => {
  const directory = join(mkdtempSync(join(tmpdir(), 'network-')), 'kept');
  const options = {
    rollups: [messenger(), evm()],
    layer: true,
    blocks: 'manual',
    directory,
    listen: { rpc: 0 },
  } as const;
  {
    await using network = await localNetwork({ ...options, faucet: true, explorer: true });
    await network.mine(2);
  }
  await using network = await localNetwork(options);
  expect(await getHeight(network)).toBe(3n);
  rmSync(directory, { recursive: true });
});

test('a seed is for manual blocks', async () => {
  await expect(localNetwork({ rollups: [messenger()], seed: 'one' })).rejects.toThrow(
    "seed: expected blocks: 'manual', since other blocks come by the clock",
  );
});

test('with one seed, networks make the same blocks of the same transactions', async () => {
  const hash = async (seed: string, text: string) => {
    await using network = await localNetwork({ rollups: [messenger()], blocks: 'manual', seed });
    await network.client('messenger').submitText(text);
    await network.mine(2);
    return (await network.newestBlock()).hash;
  };
  const first = await hash('one', 'text');
  expect(await hash('one', 'text')).toBe(first);
  expect(await hash('two', 'text')).not.toBe(first);
  expect(await hash('one', 'another')).not.toBe(first);
});
