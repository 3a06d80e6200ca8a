import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  compareTimestamps,
  createValidator,
  decodeBlock,
  decodeSignedHeader,
  encodeBlock,
  headerHash,
  partSetHeader,
  toHex,
  verifyCommit,
} from '@switchyard/protocol';
import { manualClock } from '@switchyard/service/testing';
import { afterEach, expect, test } from 'vitest';
import { createSoloEngine } from './engine.ts';
import { BlockStore } from './store/block-store.ts';
import { CHAIN, createFixture, type Fixture, genesisFile, signer } from './testing.ts';

const fixtures: Fixture[] = [];
afterEach(async () => {
  for (const fixture of fixtures.splice(0)) await fixture.dispose();
});

function newFixture(...args: Parameters<typeof createFixture>): Fixture {
  const fixture = createFixture(...args);
  fixtures.push(fixture);
  return fixture;
}

test('every block has a header and a commit that verify, and is linked to the one before', async () => {
  const f = newFixture();
  await f.start();
  await f.include('a=1');
  await f.include('power=20');
  await f.include('b=2');
  await f.reach(8n);
  await f.stop();

  const store = new BlockStore(f.directory);
  try {
    const powers: bigint[] = [];
    for (let height = 1n; height <= 8n; height += 1n) {
      const { header, commit } = decodeSignedHeader(store.signedHeader(height) ?? new Uint8Array());
      const power = [10n, 20n].find((each) => {
        try {
          verifyCommit(CHAIN, [createValidator(signer.publicKey, each)], { header, commit });
          return true;
        } catch {
          return false;
        }
      });
      powers.push(power ?? 0n);
      const bytes = store.block(height) ?? Buffer.alloc(0);
      const block = decodeBlock(bytes);
      expect(block.header).toEqual(header);
      expect(toHex(encodeBlock(block))).toBe(toHex(bytes));
      expect(commit.blockId).toEqual({ hash: headerHash(header), parts: partSetHeader(bytes) });
      if (height === 1n) continue;
      const before = decodeSignedHeader(store.signedHeader(height - 1n) ?? new Uint8Array());
      expect(header.lastBlockId).toEqual(before.commit.blockId);
      expect(block.lastCommit).toEqual(before.commit);
      expect(compareTimestamps(header.time, before.header.time)).toBeGreaterThan(0);
    }
    const changedAt = powers.indexOf(20n);
    expect(changedAt).toBeGreaterThan(0);
    expect(powers).toEqual([...Array(changedAt).fill(10n), ...Array(8 - changedAt).fill(20n)]);
  } finally {
    await store.close();
  }
});

test('a validator update counts from the second block after it', async () => {
  const f = newFixture();
  await f.start();
  const at = await f.include('power=33');
  await f.reach(at + 2n);
  const hashes = [at, at + 1n, at + 2n].map((height) => f.engine.commits.at(height)?.header.validatorsHash);
  expect(hashes[1]).toEqual(hashes[0]);
  expect(hashes[2]).not.toEqual(hashes[0]);
  expect(f.engine.commits.at(at + 1n)?.header.nextValidatorsHash).toEqual(hashes[2]);
});

test.each([
  ['validator=5', /^block \d+ adds validator [0-9a-f]{64}: the solo engine runs its own validator only; .*$/],
  ['power=0', /^block \d+ takes the power of this node's validator, .*$/],
])('stops with one line at a block with %s, which is not stored', async (tx, message) => {
  const f = newFixture();
  await f.start();
  const last = await f.include('a=1');
  f.app.checkTx(Buffer.from(tx), 'new');
  expect(String(((await f.ended()) as Error).message)).toMatch(message);
  await f.start();
  await f.reach(last + 2n);
});

test('resumes after a restart where it stopped', async () => {
  const f = newFixture();
  await f.start();
  const first = await f.include('a=1');
  await f.stop();
  const { height, appHash } = f.disk;
  f.disk.calls.length = 0;
  await f.start();
  await f.reach(height + 1n);
  expect(f.engine.commits.at(first)?.header.height).toBe(first);
  expect(f.engine.commits.at(height + 1n)?.header.appHash).toEqual(appHash);
  expect(f.disk.calls.slice(0, 2)).toEqual([`info ${height}`, `prepareProposal ${height + 1n}`]);
});

test.each(['prepareProposal', 'processProposal', 'finalizeBlock', 'commit'])(
  'a crash in %s loses nothing that was announced, and the chain continues',
  async (call) => {
    const f = newFixture();
    await f.start();
    const last = await f.include('a=1');
    const announced: bigint[] = [];
    f.engine.onBlock((height) => announced.push(height));
    f.app.before = (name, height) => {
      if (name === call && height >= last + 2n) throw new Error('crash');
    };
    expect(await f.ended()).toEqual(new Error('crash'));
    const known = announced.at(-1) ?? last;
    const hash = f.disk.appHash;
    await f.start();
    await f.reach(known + 2n);
    expect(f.engine.commits.at(known + 1n)?.header.appHash).toEqual(hash);
    const commits = f.disk.calls.filter((each) => each.startsWith('commit '));
    expect(commits).toEqual(commits.map((_, index) => `commit ${index + 1}`));
  },
);

test('a block that is on disk but not committed is replayed, not made again', async () => {
  const f = newFixture();
  await f.start();
  await f.include('a=1');
  f.app.before = (name) => {
    if (name === 'commit') throw new Error('crash');
  };
  f.app.checkTx(Buffer.from('b=2'), 'new');
  await f.ended();
  const committed = f.disk.height;
  const store = new BlockStore(f.directory);
  const stored = store.signedHeader(committed + 1n);
  expect(store.height).toBe(committed + 1n);
  await store.close();

  f.disk.calls.length = 0;
  await f.start();
  await f.reach(committed + 1n);
  expect(f.disk.calls.slice(0, 3)).toEqual([
    `info ${committed}`,
    `finalizeBlock ${committed + 1n}`,
    `commit ${committed + 1n}`,
  ]);
  expect(f.engine.commits.encodedAt(committed + 1n)).toEqual(stored);
});

test('an application without data gets all blocks again', async () => {
  const f = newFixture();
  await f.start();
  await f.include('a=1');
  await f.include('power=11');
  const height = await f.include('b=2');
  await f.stop();
  const values = new Map(f.disk.values);
  Object.assign(f.disk, { height: 0n, appHash: new Uint8Array(), values: new Map(), genesis: undefined });
  f.disk.calls.length = 0;
  await f.start();
  await f.reach(height + 1n);
  expect(f.disk.calls.slice(0, 4)).toEqual(['info 0', 'initChain 0', 'finalizeBlock 1', 'commit 1']);
  expect(f.disk.values).toEqual(values);
});

test.each([
  [
    'an application that is ahead',
    (f: Fixture) => Object.assign(f.disk, { height: f.disk.height + 5n }),
    {},
    /the application is at height \d+, the blocks end at \d+: the two databases do not belong together/,
  ],
  [
    'an application of another chain',
    (f: Fixture) => Object.assign(f.disk, { appHash: new Uint8Array(32) }),
    {},
    /state after height \d+ is not the one in the blocks/,
  ],
  [
    'another genesis file',
    () => undefined,
    { genesis: genesisFile({ chain_id: 'other-1' }) },
    /stored blocks are of chain solo-test-1, the genesis file is of chain other-1/,
  ],
] as const)('refuses %s with one line', async (_, change, config, message) => {
  const f = newFixture();
  await f.start();
  await f.reach(2n);
  await f.stop();
  change(f);
  await f.start(config);
  const error = await f.ended();
  expect(error).toBeInstanceOf(Error);
  expect((error as Error).message).toMatch(message);
  expect((error as Error).message).not.toContain('\n');
});

test.each([
  ['none', []],
  [
    'another',
    [{ pub_key: { type: 'tendermint/PubKeyEd25519', value: Buffer.alloc(32, 1).toString('base64') }, power: '1' }],
  ],
])('refuses a genesis file with %s as validator', async (_, validators) => {
  const f = newFixture();
  await f.start({ genesis: genesisFile({ validators }) });
  expect(((await f.ended()) as Error).message).toContain(signer.account.toUpperCase());
});

test('does not run twice in one directory', async () => {
  const f = newFixture();
  await f.start();
  const second = createFixture();
  fixtures.push(second);
  await second.start({ directory: f.directory });
  expect(((await second.ended()) as Error).message).toContain(`is in use by process ${process.pid}`);
  await f.reach(f.disk.height + 1n);
});

test('names a port that is taken, and the setting', async () => {
  const f = newFixture();
  await f.start();
  const second = newFixture();
  await second.start({ rpc: { host: '127.0.0.1', port: Number(new URL(f.url).port) } });
  expect(((await second.ended()) as Error).message).toMatch(/port \d+ is already in use; .*SVC_SEQUENCER_RPC_ADDR/);
});

test('waits for the genesis time, and block times follow the clock', async () => {
  const clock = manualClock();
  const now = () => ({ seconds: BigInt(1_000 + Math.floor(clock.now() / 1_000)), nanos: 0 });
  const f = newFixture(clock, now);
  await f.start({ genesis: genesisFile({ genesis_time: '1970-01-01T00:17:00Z' }), emptyBlockIntervalMs: 2_000 });
  await clock.advance(19_000);
  expect(f.disk.height).toBe(0n);
  const first = f.reach(1n);
  await clock.advance(1_000);
  await first;
  expect(f.engine.commits.at(1n)?.header.time).toEqual({ seconds: 1_020n, nanos: 0 });
});

test('block times rise although the clock goes backwards', async () => {
  let seconds = 2_000_000_000n;
  const f = newFixture(undefined, () => ({ seconds: seconds--, nanos: 999_500_000 }));
  await f.start({ emptyBlockIntervalMs: 1 });
  await f.reach(5n);
  const times = [1n, 2n, 3n, 4n, 5n].map((height) => f.engine.commits.at(height)?.header.time);
  for (const [index, time] of times.entries()) {
    const before = times[index - 1];
    if (time !== undefined && before !== undefined)
      expect(compareTimestamps(time, before)).toBe(time.seconds > before.seconds ? 1 : 1_000_000);
  }
});

test('an engine runs once', async () => {
  const f = newFixture();
  await f.start();
  await expect(f.engine.run(f.app, new AbortController().signal)).rejects.toThrow('a solo engine runs once');
  expect(createSoloEngine).toBeTypeOf('function');
});

test('whenever it is killed, what was announced is there afterwards', async () => {
  const f = newFixture();
  await f.start({ emptyBlockIntervalMs: 1 });
  for (let kill = 0; kill < 15; kill += 1) {
    for (let turn = 0; turn < kill; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    // The present files, in the middle of any write, and the commits of the application.
    const [announced, { height, appHash, values, genesis }] = [f.engine.commits.encodedAt(f.disk.height), f.disk];
    const killed = newFixture();
    cpSync(f.directory, killed.directory, { recursive: true });
    rmSync(join(killed.directory, 'lock'));
    Object.assign(killed.disk, { height, appHash, values, genesis });
    f.app.checkTx(Buffer.from(`k${kill}=1`), 'new');
    await killed.start();
    await killed.reach(height + 2n);
    if (announced !== undefined) expect(killed.engine.commits.encodedAt(height)).toEqual(announced);
    await killed.stop();
  }
});

test('new consensus parameters are in force from the next block on', async () => {
  const f = newFixture();
  await f.start();
  const at = await f.include('max-bytes=500000');
  await f.reach(at + 1n);
  const maxBytesAt = async (height: bigint) => {
    const response = await fetch(`${f.url}/consensus_params?height=${height}`);
    const { result } = (await response.json()) as { result: { consensus_params: { block: { max_bytes: string } } } };
    return result.consensus_params.block.max_bytes;
  };
  expect([await maxBytesAt(1n), await maxBytesAt(at), await maxBytesAt(at + 1n)]).toEqual([
    '1048576',
    '1048576',
    '500000',
  ]);
  const hashes = [at, at + 1n].map((height) => f.engine.commits.at(height)?.header.consensusHash);
  expect(hashes[0]).not.toEqual(hashes[1]);
});

test('a call that comes before the first block is answered from it', async () => {
  const f = newFixture();
  await f.start();
  const response = await fetch(`${f.url}/status`);
  expect(await response.json()).toMatchObject({
    result: { sync_info: { latest_block_height: expect.stringMatching(/^[1-9]/) } },
  });
});

test('a caller that waits for a transaction gets an error when the node stops', async () => {
  const f = newFixture();
  await f.start({ blockIntervalMs: 60_000 });
  await f.include('a=1');
  const waiting = fetch(`${f.url}/broadcast_tx_commit?tx="b=2"`).then((response) => response.json());
  await f.pending();
  await f.stop();
  expect(await waiting).toMatchObject({ error: { data: 'the node is stopping' } });
});

test('waiting for a transaction that is in no block ends with a timeout', async () => {
  const clock = manualClock();
  const f = newFixture(clock);
  await f.start({ blockIntervalMs: 60_000, emptyBlockIntervalMs: 60_000 });
  await f.include('a=1');
  const waiting = fetch(`${f.url}/broadcast_tx_commit?tx="b=2"`).then((response) => response.json());
  await f.pending();
  await clock.advance(10_000);
  expect(await waiting).toMatchObject({ error: { data: 'timed out waiting for tx to be included in a block' } });
});
