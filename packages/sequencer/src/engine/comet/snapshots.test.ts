import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { createMemoryStore, type Store } from '@switchyard/machine';
import { sha256, toHex } from '@switchyard/protocol';
import { abci } from '@switchyard/protocol/gen';
import { afterEach, expect, test } from 'vitest';
import { SequencerApplication } from '../../app/application.ts';
import { SCRIPT } from '../../app/script.testing.ts';
import { alice, bob, TestNode, transfer } from '../../app/testing.ts';
import { MEMPOOL_DEFAULTS } from '../../mempool/mempool.ts';
import { Snapshots } from './snapshots.ts';

const { ACCEPT, RETRY, REJECT_SNAPSHOT } = abci.ApplyResult;
const directories: string[] = [];

afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

const silent = (): void => undefined;
const log = { info: silent, warn: silent, error: silent, debug: silent };

function makeSnapshots(store: Store, restored = silent, interval = 1n) {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-snapshots-'));
  directories.push(directory);
  const snapshots = new Snapshots({ directory, interval, keep: 2, chunkBytes: 300 }, { store, log, restored });
  return { directory, snapshots };
}

/** A node with something of everything in its state, and a snapshot of it. */
async function source() {
  const node = new TestNode();
  for (const block of SCRIPT) {
    for (const [signer, actions] of block) node.submit(signer, ...actions);
    await node.make();
  }
  const { snapshots } = makeSnapshots(node.store);
  snapshots.committed(node.height);
  const [snapshot] = snapshots.list();
  if (snapshot === undefined) throw new Error('no snapshot');
  const chunks = Array.from({ length: snapshot.chunks }, (_, chunk) =>
    snapshots.load(create(abci.RequestLoadSnapshotChunkSchema, { height: snapshot.height, format: 1, chunk })),
  );
  return { node, snapshot, chunks };
}

const getOffer = (snapshot: abci.Snapshot, appHash: Uint8Array) =>
  create(abci.RequestOfferSnapshotSchema, { snapshot, appHash });
const getApply = (index: number, chunk: Uint8Array) =>
  create(abci.RequestApplySnapshotChunkSchema, { index, chunk, sender: 'peer' });

test('a new node takes over a snapshot and makes the same blocks from then on', async () => {
  const { node, snapshot, chunks } = await source();
  expect(snapshot.height).toBe(node.height);
  expect(chunks.length).toBeGreaterThan(3);

  const store = createMemoryStore();
  const app = new SequencerApplication({ version: '0', mempool: MEMPOOL_DEFAULTS }, { store, now: () => 0 });
  const { snapshots } = makeSnapshots(store, () => app.reload());
  const { appHash } = node.app.info();
  expect(snapshots.offer(getOffer(snapshot, appHash))).toBe(abci.OfferResult.ACCEPT);
  for (const [index, chunk] of chunks.entries()) {
    expect(app.info().height).toBe(0n);
    expect(await snapshots.apply(getApply(index, chunk))).toEqual({ result: ACCEPT });
  }
  expect(app.info()).toMatchObject({ height: node.height, appHash, appVersion: 1n });

  node.submit(alice, transfer(bob, 7n));
  const { block, result } = await node.make();
  expect(app.processProposal(block)).toBe('accept');
  expect(toHex(app.finalizeBlock(block).appHash)).toBe(toHex(result.appHash));
  await app.commit();
});

test('a damaged or foreign chunk is requested again from another peer, one out of turn is requested in turn', async () => {
  const { node, snapshot, chunks } = await source();
  const { snapshots } = makeSnapshots(createMemoryStore());
  snapshots.offer(getOffer(snapshot, node.app.info().appHash));
  const [first = new Uint8Array(), second = new Uint8Array()] = chunks;
  const damaged = first.map((byte, index) => (index === 9 ? byte ^ 1 : byte));
  expect(await snapshots.apply(getApply(0, damaged))).toEqual({
    result: RETRY,
    refetchChunks: [0],
    rejectSenders: ['peer'],
  });
  expect(await snapshots.apply(getApply(1, second))).toEqual({ result: RETRY, refetchChunks: [0] });
  expect(await snapshots.apply(getApply(0, first))).toEqual({ result: ACCEPT });
});

const entry = (key: string, value: string) => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(key.length, 0);
  head.writeUInt32BE(value.length, 4);
  return new Uint8Array(Buffer.concat([head, Buffer.from(key), Buffer.from(value)]));
};

test.each<[string, Uint8Array]>([
  ['another state', entry('chain/id', 'evil')],
  ['rows that no root covers', entry('index/block/frame/1', 'evil')],
  ['half an entry', entry('chain/id', 'evil').subarray(0, 10)],
  ['a key without end', Uint8Array.from([255, 255, 255, 255, 0, 0, 0, 0, 1])],
])('a snapshot of %s is refused, and leaves nothing', async (_, chunk) => {
  const store = createMemoryStore();
  const { snapshots } = makeSnapshots(store);
  const metadata = sha256(chunk);
  const snapshot = create(abci.SnapshotSchema, { height: 5n, format: 1, chunks: 1, metadata, hash: sha256(metadata) });
  expect(snapshots.offer(getOffer(snapshot, new Uint8Array(32).fill(1)))).toBe(abci.OfferResult.ACCEPT);
  expect(await snapshots.apply(getApply(0, chunk))).toEqual({ result: REJECT_SNAPSHOT });
  expect(store.snapshot().height).toBeUndefined();
  expect(store.head().height).toBeUndefined();
});

test('an offer is refused by its form, and by a node that has a state', async () => {
  const { node, snapshot } = await source();
  const { appHash } = node.app.info();
  const { snapshots } = makeSnapshots(createMemoryStore());
  const changed = (change: Partial<abci.Snapshot>) => snapshots.offer(getOffer({ ...snapshot, ...change }, appHash));
  const { REJECT, REJECT_FORMAT, ABORT } = abci.OfferResult;
  expect([
    changed({ format: 2 }),
    changed({ chunks: 0 }),
    changed({ chunks: 100_000 }),
    changed({ hash: new Uint8Array(32) }),
    snapshots.offer(getOffer(snapshot, new Uint8Array())),
  ]).toEqual([REJECT_FORMAT, REJECT, REJECT, REJECT, REJECT]);
  expect(makeSnapshots(node.store).snapshots.offer(getOffer(snapshot, appHash))).toBe(ABORT);
});

test('they are taken at the interval, the newest are kept, and none is there in half', async () => {
  const node = new TestNode();
  const { snapshots, directory } = makeSnapshots(node.store, silent, 2n);
  for (let height = 1n; height <= 9n; height += 1n) {
    await node.make();
    snapshots.committed(height);
  }
  expect(snapshots.list().map(({ height }) => height)).toEqual([8n, 6n]);
  expect(readdirSync(directory).sort()).toEqual(['6', '8']);
});
