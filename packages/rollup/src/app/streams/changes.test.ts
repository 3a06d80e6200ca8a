import { createMemoryStore, type Overlay } from '@switchyard/machine';
import type { AccountId, TxHash } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { changesKept } from '../tables.ts';
import { changesSince, emptyChanges, pruneChanges, writeChanges } from './changes.ts';

const account = (digit: string) => digit.repeat(40) as AccountId;
const receipt = (signer?: AccountId) => ({ hash: '00'.repeat(32) as TxHash, code: 0, signer });
const begin = (): Overlay => createMemoryStore().begin();
const kept = (state: Overlay) => {
  const { from, bytes } = changesKept.get(state) ?? { from: undefined, bytes: undefined };
  return { from, bytes, rows: state.range({ prefix: 'index/changes/', limit: 10_000 }).length };
};

test('keys come back in their order, with those of deleted entries of indexes and the nonces of signers, and transactions by their signers', () => {
  const state = begin();
  state.put('index/by/b/x/1', Uint8Array.of(1));
  const entries = ['index/by/b/x/1', 'index/by/b/x/2', 'index/by/b/search/2/1'];
  const changed = [...entries, 'tables/b/2', 'index/rows/c/1', 'tables/b/10', `accounts/nonce/${account('a')}`];
  writeChanges(state, 5n, changed, [receipt(account('a')), receipt(), receipt(account('b')), receipt(account('a'))]);
  writeChanges(state, 6n, ['index/by/b/x/1', 'index/terms/b/1'], []);
  const { to, blocks } = changesSince(state, 4n, 7n) ?? { to: 0n, blocks: [] };
  expect(to).toBe(7n);
  expect(blocks.map(({ number, keys, bySigner }) => ({ number, keys, bySigner }))).toEqual([
    {
      number: 5n,
      keys: [
        ...[`accounts/nonce/${account('a')}`, `accounts/nonce/${account('b')}`],
        ...['index/by/b/x/2', 'index/rows/c/1', 'tables/b/10', 'tables/b/2'],
      ],
      bySigner: new Map([
        [account('a'), [0, 3]],
        [account('b'), [2]],
      ]),
    },
  ]);
  expect(changesSince(state, 3n, 7n)).toBeUndefined();
  expect(changesSince(state, 7n, 7n)).toEqual({ to: 7n, blocks: [] });
});

// Defect: on a chain whose blocks had changed nothing yet, clients began again with each of them.
test('the list begins with the first block, though it has changed nothing', () => {
  const state = begin();
  writeChanges(state, 1n, [], []);
  expect(changesSince(state, 0n, 1n)).toEqual({ to: 1n, blocks: [] });
  writeChanges(state, 2n, ['tables/b/1'], []);
  expect(changesSince(state, 0n, 2n)).toMatchObject({ to: 2n, blocks: [{ number: 2n, keys: ['tables/b/1'] }] });
});

test('the list has the newest 4,096 blocks, and none below those that are kept', () => {
  const state = begin();
  for (let block = 1n; block <= 5_000n; block += 1n) writeChanges(state, block, [`tables/b/${block}`], []);
  pruneChanges(state, 5_000n, 1n);
  expect(kept(state)).toMatchObject({ from: 905n, rows: 4_096 });
  pruneChanges(state, 5_000n, 4_991n);
  const { bytes, ...others } = kept(state);
  expect(others).toEqual({ from: 4_991n, rows: 10 });
  const lengths = state.range({ prefix: 'index/changes/', limit: 100 }).map(([, { length }]) => length);
  expect(bytes).toBe(BigInt(lengths.reduce((sum, length) => sum + length, 0)));
});

test('a block that changes more than 50,000 rows empties the list, so that clients begin again', () => {
  const state = begin();
  writeChanges(state, 1n, ['tables/b/1'], []);
  writeChanges(
    state,
    2n,
    Array.from({ length: 100_000 }, (_, id) => `tables/b/${id}`),
    [],
  );
  expect(kept(state)).toEqual({ from: 3n, bytes: 0n, rows: 0 });
  expect([changesSince(state, 1n, 2n), changesSince(state, 2n, 2n)]).toEqual([undefined, { to: 2n, blocks: [] }]);
  writeChanges(state, 4n, ['tables/b/1'], []);
  expect(changesSince(state, 2n, 4n)?.blocks).toHaveLength(1);
});

test('32 MiB of lists are kept, and rows that no block changed empty them', () => {
  const state = begin();
  for (let block = 1n; block <= 20n; block += 1n) writeChanges(state, block, [`tables/b/${10n + block}`], []);
  const { bytes = 0n } = kept(state);
  // The sum stands for far longer rows: three of these are above the bound.
  const most = 32n * 1_048_576n;
  changesKept.put(state, { from: 1n, bytes: most + (3n * bytes) / 20n });
  pruneChanges(state, 20n, 1n);
  expect(kept(state)).toEqual({ from: 4n, bytes: most, rows: 17 });
  emptyChanges(state, 20n);
  expect(kept(state)).toEqual({ from: 21n, bytes: 0n, rows: 0 });
});
