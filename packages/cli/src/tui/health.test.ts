import { describe, expect, test } from 'vitest';
import { getHealth } from './health.ts';
import { createUi, FOUR, NOW, service } from './testing.ts';
import { createTheme } from './theme.ts';

const services = [...FOUR, service('relayer'), service('withdrawer')];
const well = {
  ...{ sequencerHeight: 12, at: NOW, movedAt: NOW - 2_000, queued: 0, rates: [1] },
  rollups: [{ name: 'chat', service: 'rollup', height: 12, lag: 0 }],
  layer: { service: 'relayer', height: 4, postedHeight: 11, lag: 1 },
  withdrawals: [{ service: 'withdrawer', paid: 3, waiting: 0, held: 0 }],
  disk: { freeBytes: 20_000_000_000, level: 'ok' as const },
};
const opened = (columns = 100) =>
  createUi({ services, size: { columns, rows: 24 } })
    .ready()
    .facts(well);
const formatLine = (ui: ReturnType<typeof createUi>) =>
  ui.rows().find((row) => /block \d|waiting|errors?\b/.test(row)) ?? '';
const getItem = (ui: ReturnType<typeof createUi>, name: string) =>
  getHealth(ui.model).find((item) => item.name === name);

test('a network that is well has one line with the answer to each question', () => {
  const ui = opened();
  expect(ui.rows()[0]).toMatch(/all ready$/);
  expect(formatLine(ui)).toBe('block 2s ago  0 waiting  layer lag 1  withdrawals ok  no errors  disk 20G free');
  expect(getHealth(ui.model).every(({ state, toDo }) => state === 'good' && toDo === undefined)).toBe(true);
  expect(formatLine(opened(80))).toBe(formatLine(ui));
});

test('services that are absent are not asked for', () => {
  const ui = createUi().ready();
  expect(getHealth(ui.model).map(({ name }) => name)).toEqual(['services', 'errors']);
});

describe('what is not well stands first, with what to do', () => {
  test('a service that failed', () => {
    const ui = opened();
    ui.take({ kind: 'status', services: [{ name: 'composer', state: 'failed', restarts: 5, reason: 'x' }] });
    expect(formatLine(ui)).toMatch(
      /^composer failed: :open composer shows why; once it is corrected, :restart composer/,
    );
    expect(ui.rows()[0]).toMatch(/composer failed$/);
  });

  test('one that was stopped', () => {
    const ui = opened();
    ui.take({ kind: 'status', services: [{ name: 'composer', state: 'stopped', restarts: 0 }] });
    expect(getItem(ui, 'services')).toMatchObject({ state: 'pending', text: '5 of 6 ready', toDo: ':start composer' });
  });

  test.each([
    ['blocks', { halt: 'no block since height 12' }, 'no block since height 12', 'sequencer'],
    ['blocks', { rollups: [{ name: 'chat', lag: 30 }] }, 'chat is 30 blocks behind', 'conductor'],
    ['transactions', { queued: 3, rates: Array(20).fill(0) }, '3 transactions wait, none is sequenced', 'composer'],
    ['layer', { layer: { service: 'relayer', lag: 900 } }, 'layer lag 900', 'relayer'],
    [
      'bridge',
      { withdrawals: [{ service: 'withdrawer', paid: 3, waiting: 0, held: 1, missing: '5' }] },
      'bridge lacks 5',
      'bridge status',
    ],
    [
      'disk',
      { disk: { freeBytes: 100_000_000, level: 'fail' as const, advice: 'make room' } },
      'disk 100M free',
      'make room',
    ],
  ])('%s: %j', (name, facts, text, toDo) => {
    const ui = opened(200).facts(facts);
    expect(getItem(ui, name)).toMatchObject({ state: 'bad', text, toDo: expect.stringContaining(toDo) });
    expect(ui.text()).toContain(`\n${text}: `);
    expect(ui.press('o').text()).toMatch(new RegExp(`^ ${name} +FIX +${text}$`, 'm'));
  });

  test('transactions that wait while others are sequenced are no fault', () => {
    const ui = opened().facts({ queued: 3, rates: [...Array(19).fill(0), 1] });
    expect(getItem(ui, 'transactions')).toEqual({
      name: 'transactions',
      state: 'good',
      text: '3 waiting',
      toDo: undefined,
    });
  });

  test('red is what needs someone', () => {
    const theme = createTheme({ borderColor: 'gray', highlightColor: 'blue' }, 'all');
    const rows = opened().facts({ halt: 'no block' }).rows(theme);
    expect(rows.join('\n')).toContain('\u001b[1;31mno block\u001b[0m: :go sequencer');
    expect(rows.join('\n')).toContain('\u001b[32mwithdrawals ok\u001b[0m');
  });
});

describe('the last error', () => {
  const failing = () =>
    opened()
      .lines('rollup', 40)
      .event({ kind: 'line', service: 'rollup', text: 'ERROR cannot write: no space' })
      .lines('rollup', 40)
      .event({ kind: 'line', service: 'composer', text: 'WARN slow' });

  test('is shown until it is looked at: e opens its log where it is', () => {
    const ui = failing().facts({ at: NOW + 65_000 });
    expect(formatLine(ui)).toMatch(/^error in rollup 1m 05s ago: e shows it /);
    expect(ui.press('o').text()).toContain('cannot write: no space');
    ui.press('e');
    expect(ui.model).toMatchObject({ screen: 'full', selected: 2 });
    expect(ui.text()).toContain('ERROR cannot write: no space');
    expect(getItem(ui, 'errors')?.state).toBe('good');
    ui.event({ kind: 'exited', service: 'composer', exit: { code: 1, signal: undefined }, lastLines: [] });
    expect(getItem(ui, 'errors')).toMatchObject({ state: 'bad', text: expect.stringContaining('error in composer') });
  });

  test('is no fault any more when it is old', () => {
    expect(getItem(failing().facts({ at: NOW + 3_600_000 }), 'errors')?.state).toBe('good');
  });

  test('where there is none, e explains that', () => {
    expect(createUi().press('e').text()).toContain('no service has logged an error');
  });
});
