import { schema } from '@switchyard/service/api';
import * as form from './schemas.ts';

const ofPoint = schema.integer('Number of the point');

export const pointSchema = schema.object(
  {
    point: ofPoint,
    height: schema.integer('The newest block of the point'),
    time: schema.nullable(form.time),
    blocks: schema.integer('Blocks of the point'),
    blockTimeMs: schema.nullable(schema.integer('Average time from block to block; null for the first block')),
    transactions: schema.integer('Transactions in them'),
    failed: schema.integer('Of these, transactions that failed'),
    bytes: schema.integer('Bytes of the transactions'),
    submissions: schema.integer("Users' bytes for rollups"),
    submissionBytes: schema.integer('Bytes of these'),
    deposits: schema.integer('Deposits to rollups'),
    fees: schema.list(form.amountSchema),
  },
  { name: 'ChartPoint' },
);

export const shareSchema = schema.object(
  {
    rollup: form.hash('Id of the rollup'),
    name: form.rollupName,
    bytes: schema.integer('Of all points'),
    points: schema.list(
      schema.object({
        point: ofPoint,
        bytes: schema.integer('Bytes of the rollup'),
        submissions: schema.integer('Transactions of the rollup'),
      }),
    ),
  },
  { name: 'ChartShare' },
);

// Below zero where the clocks of two machines differ.
const lagMs = (description: string) => schema.integer(description, { min: Number.MIN_SAFE_INTEGER });

export const lagSchema = schema.object(
  {
    rollup: form.hash('Id of the rollup'),
    name: form.rollupName,
    points: schema.list(schema.object({ point: ofPoint, averageMs: lagMs('The average'), maxMs: lagMs('The most') })),
  },
  { name: 'ChartLag' },
);

export const chartsSchema = schema.object(
  {
    blocksPerPoint: schema.integer('Blocks of a whole point'),
    points: schema.list(pointSchema),
    rollups: schema.list(shareSchema),
    lag: schema.list(lagSchema),
  },
  { name: 'Charts' },
);
