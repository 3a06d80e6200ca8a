import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReplayReport } from '@switchyard/client';
import { openLmdbStore } from '@switchyard/machine';
import { baseInputDigest, nextInputDigest, Rejected, sha256Hex, toHex, txHashOf } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { RollupChain } from '../app/chain.ts';
import { mapHandlers } from '../app/refusing-bugs.ts';
import type { BlockInput } from '../execution/executor.ts';
import { signers, signSpend, tallyRollup } from '../testing/tally.ts';
import { testInput } from '../testing/test-node.ts';
import { replay } from './replay.ts';
import { withStored } from './stored.ts';

/** Block N spends N tokens; block 3 wants more than there are, and has bytes that are no transaction. */
const spends = [1n, 2n, 5_000n, 4n].map((amount, index) => signSpend({ nonce: index, amount }));
const inputs: readonly BlockInput[] = spends.map((data, index) =>
  testInput(index + 1, [
    ...(index === 2 ? [{ kind: 'sequencedData' as const, data: Uint8Array.of(1) }] : []),
    { kind: 'sequencedData', data },
  ]),
);
const getInput = async (number: bigint): Promise<BlockInput> => inputs[Number(number) - 1] ?? testInput(0, []);

async function getReports(from: bigint, to: bigint, definition = tallyRollup()): Promise<ReplayReport[]> {
  const reports: ReplayReport[] = [];
  for await (const { report } of replay(definition, { from, to }, getInput)) reports.push(report);
  return reports;
}

/** Runs with the database of a node that has executed all blocks, and is open. */
async function withNode<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'replay-'));
  const store = openLmdbStore(directory);
  try {
    const chain = await RollupChain.open(tallyRollup(), store);
    let digest = baseInputDigest(chain.view.block.hash);
    for (const input of inputs) {
      digest = nextInputDigest(digest, input);
      await chain.executeBatch(chain.view.block.hash, [{ ...input, digest }], { firm: false });
    }
    return await work(directory);
  } finally {
    await store.close();
    rmSync(directory, { recursive: true });
  }
}

test('blocks that are executed again are those of a node, whose database is in use', async () => {
  const [stored, kinds] = await withNode((directory) =>
    withStored(directory, async (all) => {
      const blocks = [1n, 2n, 3n, 4n].map((number) => all.block(number));
      const other = { ...(await getInput(2n)), entries: [] };
      return [blocks, [all.inputs(2n, await getInput(2n)), all.inputs(2n, other), all.inputs(9n, other)]];
    }),
  );
  const reports = await getReports(1n, 4n);
  expect(
    reports.map(({ hash, stateRoot, transactions }) => ({
      hash,
      stateRoot,
      codes: transactions.map(({ code }) => code),
    })),
  ).toEqual(stored);
  expect(kinds).toEqual(['same', 'other', 'unknown']);
  expect(reports.map(({ sequencerHeight }) => sequencerHeight)).toEqual([11n, 12n, 13n, 14n]);
});

test('a transaction is found in the database', async () => {
  const [second = new Uint8Array()] = spends.slice(1);
  const found = await withNode((directory) =>
    withStored(directory, async (all) => [
      await all.find(txHashOf(second)),
      await all.find(txHashOf(Uint8Array.of(7))),
      all.soft,
    ]),
  );
  expect(found).toEqual([2n, undefined, 4n]);
});

test('a report has what each action did, and why one was refused', async () => {
  const [first, second] = await getReports(3n, 4n);
  const key = `accounts/balance/${signers[0].account}/`;
  expect(first?.transactions).toEqual([
    {
      hash: sha256Hex(Uint8Array.of(1)),
      code: expect.not.stringMatching(/^0$/),
      refused: expect.any(String),
      actions: [],
    },
    {
      hash: txHashOf(spends[2] ?? new Uint8Array()),
      code: expect.not.stringMatching(/^0$/),
      refused: expect.stringContaining('5000'),
      actions: [{ kind: 'spend', events: [], writes: [], refused: expect.stringContaining('5000') }],
    },
  ]);
  expect(second?.transactions).toMatchObject([
    {
      code: '0',
      refused: undefined,
      actions: [
        {
          kind: 'spend',
          events: ['{"kind":"spent","amount":4}'],
          writes: [
            { key: expect.stringContaining(key), value: toHex(new Uint8Array([...new Array(14).fill(0), 3, 0xe1])) },
          ],
        },
      ],
    },
  ]);
});

test('copies of a transaction in one block have the actions of their own runs', async () => {
  const [early, before] = [signSpend({ nonce: 1, amount: 9_999n }), signSpend({ nonce: 0 })];
  const entries = [early, before, early, early].map((data) => ({ kind: 'sequencedData' as const, data }));
  const outcomes: (readonly [string | undefined, number])[] = [];
  const inputOfAll = async () => testInput(1, entries);
  for await (const { report } of replay(tallyRollup(), { from: 1n, to: 1n }, inputOfAll)) {
    for (const { refused, actions } of report.transactions) outcomes.push([refused, actions.length]);
  }
  expect(outcomes).toEqual([
    [expect.stringContaining('nonce'), 0],
    [undefined, 1],
    [expect.stringContaining('9999'), 1],
    [expect.stringContaining('nonce'), 0],
  ]);
});

test('other code is executed as it is, and only blocks of the range are reported', async () => {
  const tally = tallyRollup();
  const actions = mapHandlers(tally.actions, (handler) => ({
    check: (action) => handler.check(action),
    execute(action, context) {
      if ('amount' in action && action.amount === 2n) throw new Rejected('unauthorized');
      handler.execute(action, context);
    },
  }));
  const strict = { ...tally, actions };
  const codes = (reports: readonly ReplayReport[]) =>
    reports.map(({ number, transactions }) => [number, transactions.at(-1)?.code === '0']);
  expect(codes(await getReports(2n, 2n))).toEqual([[2n, true]]);
  expect(codes(await getReports(2n, 2n, strict))).toEqual([[2n, false]]);
});
