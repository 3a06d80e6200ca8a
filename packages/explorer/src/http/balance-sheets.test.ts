import { silentLogger } from '@switchyard/service';
import { expect, test } from 'vitest';
import { balanceSheets } from './balance-sheets.ts';

const sheet = {
  ...{ height: 7, locked: '900', minted: '600', unpaid: '200', arriving: '0', uncredited: '0' },
  ...{ surplus: '100', isBalanced: true },
};
const status = { rollup: 'chat', bridge: 'astria1bridge', asset: 'nria', sheet };

/** @param answers By the host of the withdrawer; one without an answer is not there. */
function makeSheets(answers: Readonly<Record<string, unknown>>) {
  let now = 0;
  let wanted = 0;
  const sheets = balanceSheets({
    urls: Object.keys(answers).map((host) => `http://${host}`),
    async fetch(url) {
      wanted += 1;
      const answer = answers[new URL(url).hostname];
      if (answer === undefined) throw new TypeError('fetch failed');
      return Response.json(answer);
    },
    clock: { now: () => now, after: () => () => undefined },
    log: silentLogger,
  });
  return {
    of: async () => Object.fromEntries(await sheets.of()),
    pass: (ms: number) => {
      now += ms;
    },
    asked: () => wanted,
  };
}

test('each rollup has the sheet of its withdrawer, which is asked again after a while', async () => {
  const { height: _, arriving: __, ...shown } = sheet;
  const sheets = makeSheets({ one: status, other: { ...status, rollup: 'evm', sheet: null }, away: undefined });
  expect(await sheets.of()).toEqual({ chat: { bridge: 'astria1bridge', asset: 'nria', ...shown } });
  await sheets.of();
  expect(sheets.asked()).toBe(3);
  sheets.pass(2_001);
  await sheets.of();
  expect(sheets.asked()).toBe(6);
});

test.each([
  ['no digits', { ...sheet, minted: '<b>' }],
  ['no sheet', 7],
  ['a missing amount', { ...sheet, locked: undefined }],
])('a stranger that answers with %s shows nothing', async (_, wrong) => {
  expect(await makeSheets({ one: { ...status, sheet: wrong } }).of()).toEqual({});
});
