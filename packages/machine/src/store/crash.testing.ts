import { toHex } from '@switchyard/protocol';
import { openLmdbStore } from './lmdb.ts';

/*
 * Commits until it is killed, and prints each step before and after a commit: "sealed H ROOT", "committed H".
 * Two blocks at a time, with keys that come, change and go.
 */

const [, , path = ''] = process.argv;
// So small that the file is mapped again all the time.
const store = openLmdbStore(path, { residentBytes: 0 });
const { height: last = 0n } = store.head();

for (let height = last + 1n; ; height++) {
  const overlay = store.begin();
  for (let i = 0n; i < 30n; i++) {
    const key = `key/${(height * 7n + i * 13n) % 500n}`;
    if ((height + i) % 5n === 0n) overlay.delete(key);
    else overlay.put(key, new TextEncoder().encode(`${height}`.padEnd(100)));
  }
  overlay.put(`index/block/${height}`, new Uint8Array(10_000));
  const layer = store.seal(overlay, height);
  process.stdout.write(`sealed ${height} ${toHex(layer.root)}\n`);
  if (height % 2n === 1n) continue;
  await store.commit(layer);
  process.stdout.write(`committed ${height}\n`);
}
