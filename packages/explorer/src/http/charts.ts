import type { AnyRoute } from '@switchyard/service/api';
import { type Charts, chartPoint, sequencer } from '../contract/sequencer.ts';
import { type Fee, sumFees } from '../sequencer/fees.ts';
import { sameHash } from '../store/statements.ts';
import type { Row, Value } from '../store/store.ts';
import { answer } from './answer.ts';
import { number, text } from './cells.ts';
import { type ApiContext, rollupName } from './context.ts';
import { HeldAnswers } from './held-answers.ts';
import { view } from './view.ts';

/** The cost of an answer grows with the blocks behind it, so there are few choices, and each is computed at a bounded rate. */
const FRESH_MS = { 100: 500, 1000: 2_000, 10000: 20_000 } as const;
const POINTS = 100;
/** Rollups with a line of their own; the rest of the data is the remainder of the sum. */
const MAX_ROLLUPS = 8;

interface Range {
  readonly size: number;
  /** The first point. Point `n` has the blocks from `n * size` on. */
  readonly first: number;
}

/** Points begin at multiples of their size, so that they do not change while new blocks arrive. */
function toRange(blocks: number, height: number): Range {
  const size = blocks / POINTS;
  return { size, first: Math.max(0, Math.floor(height / size) - POINTS + 1) };
}

/** The newest blocks as at most a hundred points. */
export function chartRoute(context: ApiContext): AnyRoute {
  const held = new HeldAnswers<Charts>(Object.keys(FRESH_MS).length);
  return answer(sequencer.getCharts, ({ query: { blocks } }) => {
    const period = Math.floor(context.clock.now() / FRESH_MS[blocks]);
    return held.get(blocks, String(period), () => charts(context, Number(blocks)));
  });
}

const pointView = (size: number) =>
  view(chartPoint, 'blocks b', {
    point: `b.height / ${size}`,
    height: 'MAX(b.height)',
    time: 'MAX(b.time)',
    firstTime: 'MIN(b.time)',
    blocks: 'COUNT(*)',
    bytes: sum('b.size'),
    transactions: sum('b.transactions'),
    failed: sum('b.failed'),
    submissions: sum('b.submissions'),
    submissionBytes: sum('b.submission_bytes'),
    deposits: sum('b.deposits'),
  });

const sum = (column: string) => `CAST(SUM(${column}) AS BIGINT)`;

async function charts(context: ApiContext, blocks: number): Promise<Charts> {
  const range = toRange(blocks, context.sequencer.state().height);
  const { size, first } = range;
  const from = first * size;
  const points = pointView(size);
  const [rows, fees, rollups, lag] = await Promise.all([
    // One point more, for the time of the block before.
    context.store.read(`SELECT ${points.select} FROM blocks b WHERE b.height >= ? GROUP BY 1 ORDER BY 1`, [
      Math.max(0, from - size),
    ]),
    context.store.read(`SELECT height / ${size} AS point, fees FROM blocks WHERE height >= ? AND fees <> '[]'`, [from]),
    rollupShares(context, range),
    Promise.all(context.rollups.map((each) => executionLag(context, each.state().head?.id, range))),
  ]);
  const feesOf = new Map<Value | undefined, Row[]>();
  for (const row of fees) feesOf.set(row.point, [...(feesOf.get(row.point) ?? []), row]);
  return {
    blocksPerPoint: size,
    points: rows.flatMap((row, index) => {
      if (Number(row.point) < first) return [];
      const lists = (feesOf.get(row.point) ?? []).map((each): readonly Fee[] => JSON.parse(text(each.fees)));
      return [points.json(row, { blockTimeMs: blockTime(row, rows[index - 1]), fees: sumFees(lists) })];
    }),
    rollups,
    lag: lag.filter((each) => each !== undefined),
  };
}

/** Average time from block to block; null for the first block of all. @param before The point before. */
export function blockTime({ blocks, time, firstTime = null }: Row, before: Row | undefined): number | null {
  const intervals = before === undefined ? number(blocks) - 1 : number(blocks);
  return intervals === 0 ? null : Math.round((number(time) - number(before?.time ?? firstTime)) / intervals);
}

/** How much data the rollups with the most of it have in each point. */
async function rollupShares(context: ApiContext, { size, first }: Range): Promise<Charts['rollups']> {
  const top = await context.store.read(
    `SELECT rollup, CAST(SUM(bytes) AS BIGINT) AS bytes FROM block_rollups WHERE height >= ?
     GROUP BY rollup ORDER BY 2 DESC, 1 LIMIT ?`,
    [first * size, MAX_ROLLUPS],
  );
  return Promise.all(
    top.map(async (row) => {
      const rollup = text(row.rollup);
      const points = await context.store.read(
        `SELECT height / ${size} AS point, CAST(SUM(bytes) AS BIGINT) AS bytes, CAST(SUM(submissions) AS BIGINT) AS submissions
         FROM block_rollups WHERE rollup = ? AND height >= ? GROUP BY 1 ORDER BY 1`,
        [rollup, first * size],
      );
      return {
        rollup,
        name: rollupName(context, rollup),
        bytes: number(row.bytes),
        points: points.map((each) => ({
          point: number(each.point),
          bytes: number(each.bytes),
          submissions: number(each.submissions),
        })),
      };
    }),
  );
}

/** From the time of a sequencer block until its execution was seen here: the average and the most of each point. */
async function executionLag(context: ApiContext, rollup: string | undefined, { size, first }: Range) {
  if (rollup === undefined) return undefined;
  const points = await context.store.read(
    // In this order: SQLite would else begin with all blocks of the rollup.
    `SELECT b.height / ${size} AS point, CAST(AVG(r.seen - r.time) AS BIGINT) AS average, MAX(r.seen - r.time) AS most
     FROM blocks b CROSS JOIN rollup_blocks r
     WHERE r.rollup = ? AND ${sameHash('r.sequencer_hash', 'b.hash')} AND b.height >= ? AND r.seen > 0 GROUP BY 1 ORDER BY 1`,
    [rollup, first * size],
  );
  const shown = points.map(({ point, average, most }) => ({
    point: number(point),
    averageMs: number(average),
    maxMs: number(most),
  }));
  return { rollup, name: rollupName(context, rollup), points: shown };
}
