import { expect, test } from 'vitest';
import { type PollState, poll, type Urls } from './poll.ts';

const URLS: Urls = { rpcs: ['rpc'], rollup: 'rollup', composer: 'composer', conductors: ['conductor'] };
const NOTHING: PollState = { facts: { rates: [], path: [] } };
const ANSWERS: Readonly<Record<string, unknown>> = {
  'rpc/status': { result: { sync_info: { latest_block_height: '41' } } },
  'rollup/v1/status': { rollup: 'chat', soft: { number: 39 }, sequencerHeight: 40 },
  'composer/status': { queuedItems: 3, itemsSequenced: 70 },
  'composer/v1/recent?limit=64': {
    transactions: [
      { rollup: 'r', hash: 'aa', queuedAt: 5, bundledAt: 6, sequencedAt: 7, height: 40 },
      { rollup: 'r', hash: 'bb', queuedAt: 4, refusedAt: 9, reason: 'no' },
      { hash: 'without the rest' },
      null,
    ],
  },
  'conductor/status': {
    rollup: 'r',
    lag: 1,
    soft: 39,
    nextHeight: 41,
    recentBlocks: [{ sequencerHeight: 40, number: 39, executedAt: 8 }, 'not a block'],
  },
};
const ask = (answers: Readonly<Record<string, unknown>>) => async (url: string) => answers[url];

test('everything that services tell is put together', async () => {
  const before: PollState = { ...NOTHING, counted: { total: 50, at: 1_000 } };
  expect(await poll(URLS, before, ask(ANSWERS), () => 3_000)).toEqual({
    counted: { total: 70, at: 3_000 },
    facts: {
      sequencerHeight: 41,
      rollup: { name: 'chat', height: 39 },
      lag: 1,
      queued: 3,
      rates: [10],
      path: [
        {
          hash: 'aa',
          rollup: 'r',
          queuedAt: 5,
          bundledAt: 6,
          sequenced: { at: 7, height: 40 },
          refused: undefined,
          executed: { at: 8, block: 39 },
        },
        {
          hash: 'bb',
          rollup: 'r',
          queuedAt: 4,
          bundledAt: undefined,
          sequenced: undefined,
          refused: { at: 9, reason: 'no' },
        },
      ],
    },
  });
});

test('what does not answer costs its own facts only', async () => {
  const { 'conductor/status': _, ...without } = ANSWERS;
  const { facts } = await poll(URLS, NOTHING, ask(without), () => 0);
  expect(facts).toMatchObject({ sequencerHeight: 41, lag: 1, queued: 3 });
  expect((await poll(URLS, NOTHING, ask({}), () => 0)).facts).toEqual({
    sequencerHeight: undefined,
    rollup: undefined,
    lag: undefined,
    queued: undefined,
    rates: [],
    path: [],
  });
});

test('a rollup without an HTTP address has the height that its conductor reports', async () => {
  const { facts } = await poll({ ...URLS, rollup: undefined }, NOTHING, ask(ANSWERS), () => 0);
  expect(facts.rollup).toEqual({ name: undefined, height: 39 });
});

test('of several nodes the one in front gives the height, and one that is stopped costs nothing', async () => {
  const at = (height: string) => ({ result: { sync_info: { latest_block_height: height } } });
  const answers = { 'b/status': at('41'), 'c/status': at('43') };
  const { facts } = await poll({ rpcs: ['a', 'b', 'c'], conductors: [] }, NOTHING, ask(answers), () => 1);
  expect(facts.sequencerHeight).toBe(43);
});

test('the EVM node is asked what became of what it sent', async () => {
  const asked: string[] = [];
  const transactions = [{ submission: 'aa', hash: '0xaa', outcome: { kind: 'included', success: true } }];
  const answers = { ...ANSWERS, 'evm/v1/outcomes?submissions=aa': { transactions } };
  const urls = { ...URLS, evm: 'evm' };
  const look = async (url: string) => {
    asked.push(url);
    return ask(answers)(url);
  };
  const first = await poll(urls, NOTHING, look, () => 0);
  expect(first.facts.path[0]).toMatchObject({ hash: 'aa', evm: { hash: '0xaa', end: { kind: 'succeeded' } } });
  const second = await poll(urls, first, look, () => 0);
  expect(second.facts.path[0]?.evm).toEqual(first.facts.path[0]?.evm);
  expect(asked.filter((url) => url.startsWith('evm/v1/outcomes'))).toHaveLength(1);
});
