import type { Charts } from '@switchyard/explorer/contract';
import { expect, test } from 'vitest';
import { readCharts } from './read.ts';

const point = (height: number, transactions: number): Charts['points'][number] => ({
  ...{
    point: height,
    height,
    time: null,
    blocks: 1,
    blockTimeMs: height === 1 ? null : 2_000,
    transactions,
    failed: 0,
  },
  ...{ bytes: 64 + 100 * transactions, submissions: 0, submissionBytes: 0, deposits: 0, fees: [] },
});
const titles = (points: Charts['points']) =>
  readCharts({ blocksPerPoint: 1, points, rollups: [], lag: [] }).charts.map(({ title }) => title);

test('a chart without anything to draw is left out', () => {
  expect(titles([])).toEqual([]);
  expect(titles([point(1, 0)])).toEqual([]);
  expect(titles([point(1, 0), point(2, 0)])).toEqual(['Block time']);
  expect(titles([point(1, 0), point(2, 1)])).toEqual(['Block time', 'Transactions per block', 'Bytes per block']);
});
