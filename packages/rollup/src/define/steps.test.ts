import { afterEach, expect, test } from 'vitest';
import { u32 } from '../schema/scalars.ts';
import { signers } from '../testing/tally.ts';
import { testRollup } from '../testing/test-rollup.ts';
import { action, defineRollup, query } from './definition.ts';
import { rollupOf } from './rollup-of.ts';
import { DEFAULT_STEPS } from './steps.ts';
import { table } from './table.ts';

const [alice] = signers;
const GENESIS = JSON.stringify({
  rollup_name: 'rows',
  sequencer_chain_id: 'sequencer-0',
  canonical_transactions: true,
});
const accepted = { until: 'accepted' } as const;
const rows = table({ name: 'rows', key: u32, value: u32 });

/** @param steps Of the action that writes some rows. */
const rollupWith = (steps?: number) =>
  defineRollup({
    name: 'rows',
    tables: [rows],
    actions: {
      fill: action({
        fields: { count: u32 },
        ...(steps !== undefined && { steps }),
        execute({ count }, { state }) {
          for (let row = 0; row < count; row += 1) rows.put(state, row, row);
        },
      }),
    },
    queries: {
      row: query({
        parameters: { id: u32 },
        answer: { value: u32 },
        handle({ id }, { state }) {
          const value = rows.get(state, id);
          return value === undefined ? undefined : { value };
        },
      }),
    },
  });

const stopping: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
});

test.each([
  ['its own', 10, 10],
  ['the usual one', undefined, DEFAULT_STEPS],
])('an action within its bound of steps is executed, and one above it leaves nothing: %s', async (_, steps, most) => {
  const node = await testRollup(rollupWith(steps), GENESIS);
  stopping.push(() => node.stop());
  const { hash } = await node.client.submit.fill({ count: most + 1 }, alice, accepted);
  await node.block();
  const refused = await node.client.wait(hash).catch((error: unknown) => error);
  expect(String(refused)).toContain(`limit reached: action fill, field steps, limit ${most}`);
  await expect(node.client.query.row({ id: 0 })).rejects.toThrow('no answer');
  await node.client.submit.fill({ count: most }, alice, accepted);
  await node.block();
  expect(await node.client.query.row({ id: most - 1 })).toEqual({ value: most - 1 });
});

test.each([0, 1.5, -1, Number.NaN])('a bound of %d steps is refused at start, with the action', (steps) => {
  expect(() => rollupOf(rollupWith(steps), GENESIS)).toThrow(
    `action fill: steps: expected a whole number from 1 on, got ${steps}`,
  );
});
