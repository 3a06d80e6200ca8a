import { expect, test } from 'vitest';
import { openMemoryDatabase } from '../database/memory.ts';
import { openPoolStore } from './store.ts';
import { alice, getHash, signed } from './testing/world.ts';

const record = (nonce: bigint) => {
  const raw = signed(alice, { nonce });
  return { hash: getHash(raw), raw, from: alice.address, receivedAt: 1_700_000_000_000 + Number(nonce) };
};

test('held records come back as they were, in the order in which they were put, also after a restart', () => {
  const database = openMemoryDatabase();
  const store = openPoolStore(database);
  store.change({ hold: [record(3n), record(1n)] });
  store.change({ hold: [record(2n)], release: [record(1n).hash] });
  expect(store.held()).toEqual([record(3n), record(2n)]);
  const again = openPoolStore(database);
  again.change({ hold: [record(0n)] });
  expect(again.held()).toEqual([record(3n), record(2n), record(0n)]);
});

test('a released record leaves nothing', () => {
  const database = openMemoryDatabase();
  const store = openPoolStore(database);
  store.change({ hold: [record(1n)] });
  store.change({ release: [record(1n).hash] });
  for (const name of ['pool-held', 'pool-senders']) expect(database.table(name).range()).toEqual([]);
});
