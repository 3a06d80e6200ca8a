import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSigner, encodeSignedHeader, toHex } from '@switchyard/protocol';
import { PageFile, StoreFile } from '@switchyard/storage';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { encodeWhole, type StoredBlock } from './block-row.ts';
import { openBlockStore } from './block-store.ts';
import { makeHeader, squareOfTxs } from './make-block.ts';

const validator = createSigner(new Uint8Array(32).fill(9));
const accounts = new Map();
let directory: string;
let chain: StoredBlock[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'da-blocks-'));
  chain = [];
});
afterEach(() => rmSync(directory, { recursive: true }));

async function makeEmpty(count: number): Promise<StoredBlock[]> {
  const square = await squareOfTxs([]);
  const from = chain.length;
  for (let made = 0; made < count; made += 1) {
    const last = chain.at(-1);
    const now = { seconds: BigInt(1_700_000_000 + 12 * chain.length), nanos: 7 };
    // The accounts change now and then.
    const appHash = new Uint8Array(32).fill(chain.length >> 4);
    const signed = makeHeader({ chainId: 'local-da', validator, last, now, txs: [], appHash }, square);
    chain.push({ ...signed, txs: [] });
  }
  return chain.slice(from);
}

const shown = (block: StoredBlock | undefined) => block && toHex(encodeSignedHeader(block));
const fileBytes = () => usedBytes(join(directory, 'data.mdb'));

// Defect: Empty block of the local layer took 844 bytes
test('an empty block takes less than 400 bytes of the file, and is read as it was written, also after a restart', async () => {
  const store = openBlockStore(directory);
  for (const block of await makeEmpty(200)) await store.append(block, [], accounts);
  const before = fileBytes();
  for (const block of await makeEmpty(1_000)) await store.append(block, [], accounts);
  expect((fileBytes() - before) / 1_000).toBeLessThan(400);
  await store.close();
  const again = openBlockStore(directory);
  for (const block of chain) expect(shown(again.block(block.header.height))).toBe(shown(block));
  expect([again.head, again.tail]).toEqual([1_200n, 2n]);
  await again.close();
});

test('of old blocks the first one stays; the lowest of the others is whole, also after a restart', async () => {
  const store = openBlockStore(directory);
  for (const block of await makeEmpty(60)) await store.append(block, [], accounts);
  for (let round = 0; round < 4; round += 1) store.prune(41n);
  for (const block of await makeEmpty(1)) await store.append(block, [], accounts);
  await store.close();
  const again = openBlockStore(directory);
  expect(again.tail).toBe(41n);
  for (const height of [1, 41, 42, 61]) expect(shown(again.block(BigInt(height)))).toBe(shown(chain[height - 1]));
  expect([again.block(2n), again.block(40n)]).toEqual([undefined, undefined]);
  await again.close();
});

test('continues with blocks of a version that stored each one whole', async () => {
  const file = new StoreFile<string>(directory, 'da-blocks', { keys: 'text' });
  const old = await makeEmpty(5);
  await file.batch(() => {
    for (const block of old.filter(({ header }) => header.height !== 2n)) {
      void file.main.put(`block/${String(block.header.height).padStart(16, '0')}`, encodeWhole(block));
    }
  });
  await file.close();
  const store = openBlockStore(directory);
  expect([store.head, store.tail]).toEqual([5n, 3n]);
  for (const block of await makeEmpty(5)) await store.append(block, [], accounts);
  for (const height of [1, 3, 5, 6, 10]) expect(shown(store.block(BigInt(height)))).toBe(shown(chain[height - 1]));
  await store.close();
});

/** Bytes up to the last page in use: behind it is space for further commits. */
function usedBytes(path: string): number {
  const file = new PageFile(path);
  const { lastPage, pageSize } = file.meta();
  file.close();
  return (lastPage + 1) * pageSize;
}
