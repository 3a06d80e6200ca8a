import { type AnyRoute, route, schema } from '@switchyard/service/api';
import { sumFees } from '../sequencer/fees.ts';
import type { Row, Value } from '../store/store.ts';
import { TAG } from './blocks.ts';
import { number, text, timeOrNull } from './cells.ts';
import { chartsSchema, type lagSchema, type pointSchema, type shareSchema } from './chart-schemas.ts';
import { type ApiContext, rollupName } from './context.ts';
import { Remembered } from './remembered.ts';
import { amounts } from './shown.ts';

/** What an answer costs grows with the blocks behind it, so there are few choices, and each is computed only so often. */
const FRESH_MS = { 100: 500, 1000: 2_000, 10000: 20_000 } as const;
const rangeParameter = schema.words('How many of the newest blocks', '100', '1000', '10000');
const POINTS = 100;
/** Rollups with a line of their own; the rest of the data is what is missing to the sum. */
const MAX_ROLLUPS = 8;

interface Range {
  readonly size: number;
  /** The first point. Point `n` has the blocks from `n * size` on. */
  readonly first: number;
}

/** Points begin at multiples of their size, so that they do not change while new blocks arrive. */
function rangeOf(blocks: number, height: number): Range {
  const size = blocks / POINTS;
  return { size, first: Math.max(0, Math.floor(height / size) - POINTS + 1) };
}

/** The newest blocks as at most a hundred points. */
export function chartRoute(context: ApiContext): AnyRoute {
  const answers = new Map(
    Object.entries(FRESH_MS).map(([blocks, freshMs]) => [
      blocks,
      new Remembered(() => charts(context, Number(blocks)), { clock: context.clock, freshMs }),
    ]),
  );
  return route({
    method: 'get',
    url: '/v1/charts',
    id: 'getCharts',
    tag: TAG,
    summary: 'Block time, transactions, fees, and what each rollup has of them, oldest first',
    query: { blocks: schema.optional(rangeParameter, '100') },
    answers: { 200: chartsSchema },
    errors: { 503: 'The index does not answer' },
    async handle({ query: { blocks } }) {
      return { status: 200, body: (await answers.get(blocks)?.get()) ?? (await charts(context, Number(blocks))) };
    },
  });
}

async function charts(context: ApiContext, blocks: number): Promise<schema.TypeOf<typeof chartsSchema>> {
  const range = rangeOf(blocks, context.sequencer.state().height);
  const { size, first } = range;
  const from = first * size;
  const [rows, fees, rollups, lag] = await Promise.all([
    // One point more, for the time of the block before.
    context.store.read(
      `SELECT height / ${size} AS point, COUNT(*) AS blocks, MAX(height) AS height, MIN(time) AS first_time, MAX(time) AS time,
       CAST(SUM(transactions) AS BIGINT) AS transactions, CAST(SUM(failed) AS BIGINT) AS failed,
       CAST(SUM(size) AS BIGINT) AS size, CAST(SUM(submissions) AS BIGINT) AS submissions,
       CAST(SUM(submission_bytes) AS BIGINT) AS submission_bytes, CAST(SUM(deposits) AS BIGINT) AS deposits
       FROM blocks WHERE height >= ? GROUP BY 1 ORDER BY 1`,
      [Math.max(0, from - size)],
    ),
    context.store.read(`SELECT height / ${size} AS point, fees FROM blocks WHERE height >= ? AND fees <> '[]'`, [from]),
    rollupShares(context, range),
    Promise.all(context.rollups.map((each) => executionLag(context, each.state().head?.id, range))),
  ]);
  const feesOf = new Map<Value | undefined, Row[]>();
  for (const row of fees) feesOf.set(row.point, [...(feesOf.get(row.point) ?? []), row]);
  return {
    blocksPerPoint: size,
    points: rows.flatMap((row, index) =>
      Number(row.point) < first ? [] : [pointJson(row, rows[index - 1], feesOf.get(row.point) ?? [])],
    ),
    rollups,
    lag: lag.filter((each) => each !== undefined),
  };
}

function pointJson(row: Row, before: Row | undefined, fees: readonly Row[]): schema.TypeOf<typeof pointSchema> {
  const blocks = number(row.blocks);
  const start = number(before === undefined ? row.first_time : before.time);
  const intervals = before === undefined ? blocks - 1 : blocks;
  return {
    point: number(row.point),
    height: number(row.height),
    time: timeOrNull(row.time),
    blocks,
    blockTimeMs: intervals === 0 ? null : Math.round((number(row.time) - start) / intervals),
    transactions: number(row.transactions),
    failed: number(row.failed),
    bytes: number(row.size),
    submissions: number(row.submissions),
    submissionBytes: number(row.submission_bytes),
    deposits: number(row.deposits),
    fees: sumFees(fees.map((each) => amounts(each.fees))),
  };
}

/** How much data the rollups with the most of it have in each point. */
async function rollupShares(context: ApiContext, { size, first }: Range): Promise<schema.TypeOf<typeof shareSchema>[]> {
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
async function executionLag(
  context: ApiContext,
  rollup: string | undefined,
  { size, first }: Range,
): Promise<schema.TypeOf<typeof lagSchema> | undefined> {
  if (rollup === undefined) return undefined;
  const points = await context.store.read(
    // In this order: SQLite would else begin with all blocks of the rollup.
    `SELECT b.height / ${size} AS point, CAST(AVG(r.seen - r.time) AS BIGINT) AS average, MAX(r.seen - r.time) AS most
     FROM blocks b CROSS JOIN rollup_blocks r
     WHERE r.rollup = ? AND r.sequencer_hash = b.hash AND b.height >= ? AND r.seen > 0 GROUP BY 1 ORDER BY 1`,
    [rollup, first * size],
  );
  const shown = points.map(({ point, average, most }) => ({
    point: number(point),
    averageMs: number(average),
    maxMs: number(most),
  }));
  return { rollup, name: rollupName(context, rollup), points: shown };
}
