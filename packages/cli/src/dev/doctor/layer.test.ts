import { expect, test } from 'vitest';
import type { ConductorPage, RelayerPage } from '../status/pages.ts';
import { checkBalance, checkFirm, checkPosted } from './layer.ts';

const RELAYER: RelayerPage = {
  account: 'celestia1payer',
  balance: 7_000_000,
  isBalanceLow: false,
  sequencerHeight: 110,
  postedHeight: 100,
  waitsFor: undefined,
  sequencerTrouble: undefined,
  daTrouble: undefined,
};

test.each<[string, RelayerPage, string, string]>([
  ['enough', {}, 'ok', 'relayer: celestia1payer holds 7000000 utia'],
  [
    'little',
    { isBalanceLow: true },
    'warn',
    'relayer: celestia1payer holds 7000000 utia, which is below svc_relayer_low_balance',
  ],
  ['nothing', { balance: 0, isBalanceLow: true }, 'warn', 'relayer: celestia1payer holds 0 utia: nothing is posted'],
  ['no one knows what', { balance: undefined }, 'warn', 'relayer: what celestia1payer holds is not known'],
])('an account with %s', (_, change, level, text) => {
  expect(checkBalance('relayer', { ...RELAYER, ...change }, 'send')).toMatchObject({ level, text });
});

test.each<[string, RelayerPage, number | undefined, string, string]>([
  ['a batch behind', {}, 12.4, 'ok', 'relayer has posted up to block 100, 10 blocks (12 s) behind the sequencer'],
  [
    'ahead of an old answer',
    { sequencerHeight: 99 },
    0,
    'ok',
    'relayer has posted up to block 100, 0 blocks (0 s) behind the sequencer',
  ],
  [
    'late',
    { daTrouble: 'no node answers', waitsFor: 'x' },
    80,
    'warn',
    'relayer has posted up to block 100, 10 blocks (80 s) behind the sequencer: no node answers',
  ],
  [
    'late at a price',
    { waitsFor: 'a lower price of gas' },
    80,
    'warn',
    'relayer has posted up to block 100, 10 blocks (80 s) behind the sequencer: a lower price of gas',
  ],
  [
    'late by blocks',
    { sequencerHeight: 400 },
    undefined,
    'warn',
    'relayer has posted up to block 100, 300 blocks behind the sequencer',
  ],
  ['new', { postedHeight: undefined, sequencerTrouble: 'away' }, undefined, 'warn', 'relayer posts nothing yet: away'],
])('a relayer that is %s', (_, change, seconds, level, text) => {
  expect(checkPosted('relayer', { ...RELAYER, ...change }, { seconds, usualSeconds: 72 })).toMatchObject({
    level,
    text,
  });
});

const CONDUCTOR: ConductorPage = {
  sequencerHeight: 110,
  nextHeight: 111,
  soft: 110,
  firm: 100,
  layerHead: 50,
  layerRead: 50,
  rollupTrouble: undefined,
  layerTrouble: undefined,
  unprovenBlobs: undefined,
};
const LATE = 'conductor: firm block 100 is 10 blocks (90 s) behind soft block 110: ';

test.each<[string, ConductorPage, number | undefined, string, string]>([
  [
    'follows beside a flood of blobs',
    { unprovenBlobs: 'celestia1x posted more than is kept' },
    9,
    'warn',
    'conductor: firm block 100 is 10 blocks (9 s) behind soft block 110: celestia1x posted more than is kept',
  ],
  ['follows', {}, 9, 'ok', 'conductor: firm block 100 is 10 blocks (9 s) behind soft block 110'],
  ['cannot read', { layerTrouble: 'the layer is away' }, 90, 'warn', `${LATE}the layer is away`],
  [
    'has read nothing',
    { layerHead: undefined, layerRead: undefined },
    90,
    'warn',
    `${LATE}it has read nothing of http://light`,
  ],
  ['catches up', { layerHead: 500 }, 90, 'warn', `${LATE}it has read http://light up to 50 of 500`],
  [
    'has nothing to read',
    {},
    90,
    'warn',
    `${LATE}it has read http://light up to its end, and the next block is not there by celestia1a`,
  ],
  [
    'has no rollup',
    { soft: undefined, firm: undefined, rollupTrouble: 'the rollup is away' },
    undefined,
    'warn',
    'conductor has no session: the rollup is away',
  ],
  [
    'is late by blocks',
    { firm: 0, nextHeight: 400, soft: 399, layerTrouble: 'x' },
    undefined,
    'warn',
    'conductor: firm block 0 is 399 blocks behind soft block 399: x',
  ],
])('a conductor that %s', (_, change, seconds, level, text) => {
  const about = { seconds, authors: 'celestia1a', layer: 'http://light', earlier: undefined };
  expect(checkFirm('conductor', { ...CONDUCTOR, ...change }, about)).toMatchObject({ level, text });
});

test('a conductor that lags since nothing is posted points there, unless it knows more', () => {
  const about = { seconds: 90, authors: '', layer: 'http://light', earlier: 'relayer' };
  expect(checkFirm('conductor', CONDUCTOR, about).text).toBe(`${LATE}see the line "relayer" above`);
  expect(checkFirm('conductor', { ...CONDUCTOR, layerTrouble: 'gone' }, about).text).toBe(`${LATE}gone`);
});
