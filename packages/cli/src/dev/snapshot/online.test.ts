import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLmdbStore, type Store } from '@switchyard/machine';
import { expect, test } from 'vitest';
import { verifyAll } from '../stores/verify.ts';
import { scratchInstance } from '../testing.ts';
import { copyOnline } from './save.ts';

const live = new AbortController().signal;
const scratch = () => mkdtempSync(join(tmpdir(), 'switchyard-online-'));

async function commit(store: Store, height: bigint): Promise<void> {
  const overlay = store.begin();
  for (let key = 0n; key < 200n; key += 1n)
    overlay.put(`k/${(key * 31n + height * 7n) % 900n}`, Buffer.alloc(100, Number(height)));
  await store.commit(store.seal(overlay, height));
}

test('a store is copied as one version of it, while it is written', async () => {
  const paths = scratchInstance();
  const store = openLmdbStore(join(paths.data, 'rollup'));
  await commit(store, 1n);
  for (let round = 0; round < 3; round += 1) {
    const to = scratch();
    const first = (store.head().height ?? 0n) + 1n;
    let isCopied = false;
    const copying = copyOnline(paths, to, live).finally(() => {
      isCopied = true;
    });
    let last = first;
    for (let height = first; !isCopied; height += 1n) {
      await commit(store, height);
      last = height;
      await new Promise(setImmediate);
    }
    const tree = await copying;
    expect(tree.files.map(({ path }) => path)).toContain('data/rollup/data.mdb');
    expect(verifyAll(join(to, 'data'))).toMatchObject([{ kind: 'state', problems: [] }]);
    const copy = openLmdbStore(join(to, 'data', 'rollup'));
    const { height = 0n } = copy.head();
    expect(height).toBeGreaterThanOrEqual(first - 1n);
    expect(height).toBeLessThanOrEqual(last);
    await copy.close();
  }
  await store.close();
}, 60_000);

test('state of others is named, and nothing is copied in part', async () => {
  const paths = scratchInstance();
  mkdirSync(join(paths.data, 'cometbft'), { recursive: true });
  writeFileSync(join(paths.data, 'cometbft', 'blockstore.db'), 'of another program');
  await expect(copyOnline(paths, scratch(), live)).rejects.toThrow(
    /blockstore\.db: is in no store of ours, so it cannot be copied while it is in use/,
  );
});
