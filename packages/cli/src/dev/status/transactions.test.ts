import { expect, test } from 'vitest';
import { NO_FACTS, poll } from './transactions.ts';
import type { Urls } from './urls.ts';

const URLS: Urls = {
  rpcs: ['rpc'],
  rollups: [
    { service: 'rollup', kind: 'messenger', url: 'chat' },
    { service: 'evm', kind: 'evm', url: 'evm' },
  ],
  composer: 'composer',
  conductors: [
    { service: 'conductor', url: 'c1' },
    { service: 'evm-conductor', url: 'c2' },
  ],
  relayer: undefined,
  withdrawers: [],
  rollupName: 'usual',
};
const ANSWERS: Readonly<Record<string, unknown>> = {
  'rpc/status': { result: { sync_info: { latest_block_height: '41' } } },
  'chat/v1/status': { rollup: 'chat', rollupId: 'r', soft: { number: 39 }, firm: { number: 38 }, sequencerHeight: 40 },
  'evm/status': { rollup: 'coins', rollupId: 'e', soft: { number: 30 }, firm: { number: 30 }, sequencerHeight: 35 },
  'composer/status': { queuedItems: 3, itemsSequenced: 70 },
  'composer/v1/recent?limit=64': {
    transactions: [
      { rollup: 'r', hash: 'aa', queuedAt: 5, bundledAt: 6, sequencedAt: 7, height: 40, transaction: 'bb' },
      { rollup: 'e', hash: 'cc', queuedAt: 4, refusedAt: 9, reason: 'no' },
      { hash: 'without the rest' },
      null,
    ],
  },
  'c1/status': {
    rollup: 'r',
    lag: 1,
    soft: 39,
    nextHeight: 41,
    recentBlocks: [{ sequencerHeight: 40, number: 39, executedAt: 8 }, 'not a block'],
  },
  'c2/status': { rollup: 'e', lag: 6, soft: 30, nextHeight: 36, recentBlocks: [] },
  'chat/v1/transactions/aa': { state: 'executed' },
};
const ask = (answers: Readonly<Record<string, unknown>>) => async (url: string) => answers[url];
const without = (...urls: readonly string[]) =>
  ask(Object.fromEntries(Object.entries(ANSWERS).filter(([url]) => !urls.some((each) => url.startsWith(each)))));
const CHAT_URL = { service: 'rollup', kind: 'messenger', url: 'chat' } as const;
const COINS_URL = { service: 'evm', kind: 'evm', url: 'evm' } as const;
const CHAT = { ...CHAT_URL, id: 'r', name: 'chat', conductor: 'conductor', height: 39, firm: 38, lag: 1 };
const COINS = { ...COINS_URL, id: 'e', name: 'coins', conductor: 'evm-conductor', height: 30, firm: 30, lag: 6 };
const EXECUTED = [
  { rollup: 'r', upTo: 40, blocks: [{ sequencerHeight: 40, number: 39, executedAt: 8 }] },
  { rollup: 'e', upTo: 35, blocks: [] },
];

test('everything that services report is put together', async () => {
  const before = { ...NO_FACTS, counted: { total: 50, at: 1_000 } };
  const facts = await poll(URLS, before, ask(ANSWERS), () => 3_000);
  expect(facts).toEqual({
    sequencerHeight: 41,
    rollups: [CHAT, COINS],
    lags: { conductor: 1, 'evm-conductor': 6 },
    queued: 3,
    rates: [10],
    counted: { total: 70, at: 3_000 },
    executed: EXECUTED,
    path: [
      {
        hash: 'aa',
        rollup: 'r',
        queuedAt: 5,
        bundledAt: 6,
        bundle: 'bb',
        sequenced: { at: 7, height: 40 },
        executed: { at: 8, block: 39 },
        outcome: { hash: 'aa', end: { kind: 'succeeded' } },
      },
      { hash: 'cc', rollup: 'e', queuedAt: 4, refused: { at: 9, reason: 'no' } },
    ],
  });
});

test('with a relayer, heights of the layer are known, for rollups and for transactions', async () => {
  const relayer = { service: 'relayer', url: 'r1' };
  const answers = {
    ...ANSWERS,
    'evm/status': { ...Object(ANSWERS['evm/status']), firmLayerHeight: 90 },
    'r1/status': { sequencerHeight: 41, postedHeight: 40, daHeight: 99 },
    'r1/v1/posted?from=40&to=40': { blocks: [{ height: 40, daHeight: 98, at: 11 }] },
  };
  const first = await poll({ ...URLS, relayer }, NO_FACTS, ask(answers), () => 0);
  expect(first.layer).toEqual({ service: 'relayer', postedHeight: 40, height: 99, lag: 1 });
  expect(first.rollups.map(({ layerHeight }) => layerHeight)).toEqual([undefined, 90]);
  expect(first.path.map(({ posted }) => posted)).toEqual([{ at: 11, layerHeight: 98 }, undefined]);
  const facts = await poll({ ...URLS, relayer }, first, ask(ANSWERS), () => 0);
  expect(facts.layer).toBeUndefined();
  expect(facts.path[0]?.posted).toEqual({ at: 11, layerHeight: 98 });
});

test('withdrawals are counted by withdrawer, with what its bridge account lacks', async () => {
  const withdrawers = ['w1', 'w2', 'w3'].map((url) => ({ service: `of ${url}`, url }));
  const sheet = {
    ...{ height: 5, locked: '1', minted: '1', unpaid: '0', arriving: '0', uncredited: '0', surplus: '-7' },
    ...{ uncovered: '0', isBalanced: false },
  };
  const status = {
    ...{ bridge: 'b', asset: 'nria', account: 'a', rollup: 'r', sequencerChainId: 'c', commitment: 'firm' },
    ...{ withdrawals: 6, open: 3, held: 1, paid: 3, paidSum: '9', sheet: null, trouble: null },
  };
  const answers = { ...ANSWERS, 'w1/status': status, 'w2/status': { ...status, rollup: null, sheet } };
  const facts = await poll({ ...URLS, withdrawers }, NO_FACTS, ask(answers), () => 0);
  expect(facts.withdrawals).toEqual([
    { service: 'of w1', rollup: 'r', paid: 3, waiting: 2, held: 1 },
    { service: 'of w2', paid: 3, waiting: 2, held: 1, missing: '7' },
  ]);
});

test('a rollup that does not answer loses its own numbers, and no other one', async () => {
  const first = await poll(URLS, NO_FACTS, ask(ANSWERS), () => 0);
  // Its conductor keeps running, and has lost the session.
  const facts = await poll(URLS, first, without('chat', 'c1'), () => 0);
  expect(facts.rollups).toEqual([{ ...CHAT, height: undefined, firm: undefined, lag: undefined }, COINS]);
});

test('without its conductor, a rollup is as far behind as its own block shows', async () => {
  const first = await poll(URLS, NO_FACTS, ask(ANSWERS), () => 0);
  const facts = await poll(URLS, first, without('c2'), () => 0);
  expect(facts.rollups[1]).toEqual({ ...COINS, lag: 6 });
  expect(facts.lags).toEqual({ conductor: 1 });
});

test('what does not answer costs its own facts only', async () => {
  const facts = await poll(URLS, NO_FACTS, ask({}), () => 0);
  expect(facts).toEqual({
    sequencerHeight: undefined,
    rollups: [
      { ...CHAT_URL, name: 'rollup' },
      { ...COINS_URL, name: 'evm' },
    ],
    lags: {},
    queued: undefined,
    rates: [],
    path: [],
    executed: [],
  });
});

test('a rollup without an HTTP address of ours has the height that its conductor reports', async () => {
  const facts = await poll({ ...URLS, rollups: URLS.rollups.slice(1) }, NO_FACTS, ask(ANSWERS), () => 0);
  expect(facts.rollups).toEqual([
    COINS,
    { id: 'r', name: 'usual', conductor: 'conductor', height: 39, firm: undefined, lag: 1 },
  ]);
});

test('of several nodes the one in front gives the height, and one that is stopped costs nothing', async () => {
  const at = (height: string) => ({ result: { sync_info: { latest_block_height: height } } });
  const answers = { 'b/status': at('41'), 'c/status': at('43') };
  const urls = { ...URLS, rpcs: ['a', 'b', 'c'], rollups: [], composer: undefined, conductors: [] };
  const facts = await poll(urls, NO_FACTS, ask(answers), () => 1);
  expect(facts.sequencerHeight).toBe(43);
});

test('a rollup is asked once what became of a transaction', async () => {
  const wanted: string[] = [];
  const look = async (url: string) => {
    wanted.push(url);
    return ask(ANSWERS)(url);
  };
  const first = await poll(URLS, NO_FACTS, look, () => 0);
  const second = await poll(URLS, first, look, () => 0);
  expect(second.path[0]?.outcome).toEqual({ hash: 'aa', end: { kind: 'succeeded' } });
  expect(wanted.filter((url) => url.startsWith('chat/v1/transactions'))).toHaveLength(1);
});
