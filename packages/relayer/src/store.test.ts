import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataFile, StoreDamaged, StoreFile } from '@switchyard/storage';
import { afterAll, expect, test } from 'vitest';
import { encodeState, firstState, type RelayerState } from './state.ts';
import { openStateStore } from './store.ts';

const directory = mkdtempSync(join(tmpdir(), 'relayer-store-'));
afterAll(() => rmSync(directory, { recursive: true }));

const pending = {
  ...{ id: 'ab', bytes: new Uint8Array(1_000_000).fill(7), lastHeight: 9n, fee: 3n },
  ...{ to: { height: 6n, entry: 0 }, hash: new Uint8Array(32).fill(5), daHeight: undefined },
};
const other = { ...pending, id: 'cd', bytes: new Uint8Array(2_000).fill(6) };

/** Bytes as text, which compares fast. */
const plain = (state: RelayerState | undefined) => ({
  ...state,
  pending: state?.pending.map((each) => ({ ...each, bytes: Buffer.from(each.bytes).toString('base64') })),
});

test('keeps the newest state, and knows when it is damaged', async () => {
  const path = join(directory, 'db');
  const store = openStateStore(path);
  expect(store.read()).toBeUndefined();
  const state = firstState('c', 'l', 5n);
  await store.write(state);
  await store.write({ ...state, pending: [other, pending] });
  await store.write({ ...state, pending: [pending] });
  await store.close();
  const again = openStateStore(path);
  expect(plain(again.read())).toEqual(plain({ ...state, pending: [pending] }));
  await again.write({ ...state, pending: [pending, other] });
  expect(plain(again.read())).toEqual(plain({ ...state, pending: [pending, other] }));
  await again.close();
  const bytes = readFileSync(dataFile(path));
  const at = bytes.indexOf(Buffer.alloc(1_000, 7)) + 500_000;
  bytes[at] = 8;
  writeFileSync(dataFile(path), bytes);
  expect(() => {
    const damaged = openStateStore(path);
    try {
      damaged.read();
    } finally {
      void damaged.close();
    }
  }).toThrow(StoreDamaged);
});

test('reads the state of a version that had one transaction under way', async () => {
  const path = join(directory, 'old');
  const state = { ...firstState('c', 'l', 5n), pending: [pending] };
  const file = new StoreFile<string>(path, 'relayer-state', { keys: 'text' });
  await file.batch(() => void file.main.put('state', encodeState(state)));
  await file.close();
  const store = openStateStore(path);
  expect(plain(store.read())).toEqual(plain(state));
  await store.write({ ...state, pending: [pending, other] });
  expect(plain(store.read())).toEqual(plain({ ...state, pending: [pending, other] }));
  await store.write({ ...state, pending: [] });
  await store.close();
  const after = new StoreFile<string>(path, 'relayer-state', { keys: 'text' });
  expect(Array.from(after.main.keys({})).filter((key) => key.startsWith('bytes/'))).toEqual([]);
  await after.close();
});
