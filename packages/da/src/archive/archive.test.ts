import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { headerHash } from '@switchyard/protocol';
import { namespaceFromId } from '@switchyard/protocol/celestia';
import { grpcTransport, silentLogger } from '@switchyard/service';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { lightNode } from '../celestia/light-node.ts';
import { createCelestiaReader } from '../celestia/reader.ts';
import { createCelestiaWriter } from '../celestia/writer.ts';
import { DaUnavailable } from '../layer.ts';
import { getSigner, type LocalLayer, startLocalLayer } from '../local.testing.ts';
import { collect } from './collect.ts';
import { directoryStore } from './directory-store.ts';
import { createArchiveReader } from './node.ts';
import { ArchiveDamaged } from './segment.ts';
import { verifyArchive } from './verify.ts';

const OURS = namespaceFromId(new Uint8Array(10).fill(0x31));
const OTHERS = namespaceFromId(new Uint8Array(10).fill(0x32));
const signal = new AbortController().signal;

let layer: LocalLayer;
/** A height with blobs of ours. */
let posted: bigint;
const directories: string[] = [];
let directory: string;

beforeAll(async () => {
  layer = await startLocalLayer();
  const transport = grpcTransport(layer.consensusNodeUrl);
  const writer = createCelestiaWriter(
    { url: layer.consensusNodeUrl, signer: getSigner(1), maxGasPrice: 10n ** 18n },
    { transport },
  );
  const data = new Uint8Array(3_000).fill(7);
  const prepared = await writer.prepare(
    [
      { namespace: OURS, data },
      { namespace: OTHERS, data },
    ],
    signal,
  );
  await writer.submit(prepared, signal);
  for (;;) {
    const outcome = await writer.outcome(prepared, signal);
    if (outcome.kind !== 'included') continue;
    posted = outcome.height;
    break;
  }
  transport.close();
  const node = lightNode({ url: layer.lightNodeUrl });
  while ((await node.networkHead(signal)).height < posted + 8n) await new Promise(setImmediate);
}, 60_000);

afterAll(async () => {
  await layer.stop();
  for (const each of [...directories, layer.directory]) rmSync(each, { recursive: true, force: true });
});

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'switchyard-archive-'));
  directories.push(directory);
});

async function rootAt(height: bigint) {
  const { header } = await lightNode({ url: layer.lightNodeUrl }).header(height, signal);
  return { chainId: header.chainId, height, hash: headerHash(header) };
}

/** An archive up to the layer's head, of small segments. */
async function archived(stopAfter?: bigint) {
  const root = await rootAt(1n);
  const stop = new AbortController();
  const written = (height: bigint) => {
    if (height === stopAfter) stop.abort(new Error('killed'));
  };
  const options = {
    node: { url: layer.lightNodeUrl },
    root,
    namespaces: [OURS],
    from: 1n,
    once: true,
    maxSegmentBytes: 3_000,
  };
  return collect(options, { store: directoryStore(directory), waiting: () => undefined, signal: stop.signal, written });
}

const files = () => readdirSync(directory).sort();
const path = (index: number) => join(directory, files().at(index) ?? '');

test('what the layer holds is read from the archive just as from the layer', async () => {
  const last = await archived();
  const store = directoryStore(directory);
  const root = await rootAt(last);
  const verified = await verifyArchive(store, root, signal);
  expect(verified).toMatchObject({ first: 1n, last, blobs: 1, torn: 0, segments: files().length });
  expect(verified.segments).toBeGreaterThan(2);
  const reader = await createArchiveReader({ archive: { at: directory }, root }, { log: silentLogger });
  const own = createCelestiaReader({ url: layer.lightNodeUrl, root: await rootAt(1n) }, { log: silentLogger });
  expect(await reader.chainId(signal)).toBe(root.chainId);
  expect(await reader.head(signal)).toBe(last);
  for (const height of [1n, posted, last])
    expect(await reader.read(height, [OURS], signal)).toEqual(await own.read(height, [OURS], signal));
  await expect(reader.read(last + 1n, [OURS], signal)).rejects.toThrow(DaUnavailable);
  await expect(reader.read(posted, [OTHERS], signal)).rejects.toThrow('the archive was made without namespace');
});

test('it resumes without a gap or a duplicate where it was stopped, also in the middle of an entry', async () => {
  await expect(archived(2n)).rejects.toThrow('killed');
  // A kill leaves the beginning of an entry, and zeros if the file had grown already.
  for (const [rest, height] of [
    [Uint8Array.of(0, 0, 1, 0, 255), 3n],
    [new Uint8Array(100), 4n],
  ] as const) {
    appendFileSync(path(-1), rest);
    await expect(archived(height)).rejects.toThrow('killed');
  }
  const { size } = statSync(path(-1));
  truncateSync(path(-1), size - 7);
  await expect(archived(5n)).rejects.toThrow('killed');
  // In the middle of the first entry of a segment.
  const entries = files().length;
  for (let height = 6n; files().length === entries; height += 1n) await archived(height).catch(() => undefined);
  truncateSync(path(-1), 50);
  const last = await archived();
  expect(await verifyArchive(directoryStore(directory), await rootAt(last), signal)).toMatchObject({
    first: 1n,
    last,
    torn: 0,
  });
});

test('a changed byte is refused with its place, wherever it is', async () => {
  const last = await archived();
  const root = await rootAt(last);
  const store = directoryStore(directory);
  for (const index of [0, 1, -1]) {
    const whole = readFileSync(path(index));
    // In the length, the hash, the preamble and in the middle.
    for (const at of [2, 20, 60, Math.floor(whole.length / 2)]) {
      const changed = Uint8Array.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 1;
      writeFileSync(path(index), changed);
      const problem = verifyArchive(store, root, signal);
      await expect(problem).rejects.toThrow(ArchiveDamaged);
      await expect(problem).rejects.toThrow(/segment-\d{8}-\d{19}: byte \d+: /);
    }
    writeFileSync(path(index), whole);
  }
  expect(await verifyArchive(store, root, signal)).toMatchObject({ last });
});

test('a segment that is absent, or an end that is cut off below another segment, is noticed', async () => {
  const last = await archived();
  const root = await rootAt(last);
  const store = directoryStore(directory);
  const [, second = ''] = files();
  const whole = readFileSync(join(directory, second));
  truncateSync(join(directory, second), whole.length - 1);
  await expect(verifyArchive(store, root, signal)).rejects.toThrow('its end is not whole');
  rmSync(join(directory, second));
  await expect(verifyArchive(store, root, signal)).rejects.toThrow(
    /follows a segment that ends with [0-9a-f]{64}, expected/,
  );
});

test('an archive of another history is refused, however well its hashes fit', async () => {
  const last = await archived();
  const wrong = { ...(await rootAt(last)), hash: new Uint8Array(32).fill(1) };
  await expect(verifyArchive(directoryStore(directory), wrong, signal)).rejects.toThrow('not the trusted header');
  const reader = await createArchiveReader({ archive: { at: directory }, root: wrong }, { log: silentLogger });
  await expect(reader.read(posted, [OURS], signal)).rejects.toThrow();
});

test('a light node is asked first, and the archive for what that does not have', async () => {
  const last = await archived();
  const gone = { url: 'http://127.0.0.1:9', timeoutMs: 1_000 };
  const reader = await createArchiveReader(
    { archive: { at: directory }, node: gone, root: await rootAt(last) },
    { log: silentLogger },
  );
  expect((await reader.read(posted, [OURS], signal)).blobs[0]).toHaveLength(1);
});
