import { describe, expect, test } from 'vitest';
import type { Journey } from '../facts.ts';
import { createUi, FOUR, NOW, service } from '../testing.ts';
import { uncoloured, widthOf } from '../text.ts';
import { createTheme } from '../theme.ts';
import { hints } from './footer.ts';
import { sparkline } from './header.ts';
import { clockText, durationText, laterText } from './time-text.ts';

const SIZES = [
  [80, 24],
  [100, 30],
  [200, 50],
] as const;
const SCREENS = { main: '', full: 'enter', merged: 'l', path: 't', about: 'i', help: '?' } as const;

describe.each(SIZES)('at %i × %i', (columns, rows) => {
  test.each(Object.entries(SCREENS))(
    'the %s screen fills the terminal, no row is wider, and no key is left out',
    (_, key) => {
      const ui = createUi({ size: { columns, rows } })
        .ready()
        .lines('rollup', 200, (index) => `${index} `.repeat(99));
      if (key !== '') ui.press(key);
      const lines = ui.rows();
      expect(lines).toHaveLength(rows);
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
      const text = lines.join('  ');
      for (const { key: name, does } of hints(ui.model)) expect(text).toContain(`${name} ${does}`);
      // Borders stand above each other.
      for (const line of lines.filter((each) => each.startsWith('│'))) expect(line).toHaveLength(columns);
      for (const line of lines.filter((each) => each.startsWith('╭'))) expect([...line].at(-1)).toBe('╮');
    },
  );

  test('the help shows every key whole', () => {
    const text = createUi({ size: { columns, rows } }).press('?').text();
    expect(text).not.toContain('…');
    for (const key of [
      '↑ ↓',
      'Enter',
      'm ',
      'a ',
      'w ',
      'b ',
      '0 1',
      'r ',
      's ',
      '/ ',
      'f ',
      'l ',
      't ',
      'i ',
      'q Esc',
      'Ctrl.C',
    ]) {
      expect(text).toMatch(new RegExp(`^  ${key}.* {2}`, 'm'));
    }
  });
});

test('a prompt explains what Enter does, whole', () => {
  const ui = createUi({ size: { columns: 60, rows: 24 } }).press('f', 'x');
  expect(ui.rows().slice(-4)).toEqual([
    expect.stringMatching(/^filter: x/),
    'Enter shows lines of this level (error, warn, info, debug)',
    expect.stringMatching(/^and worse/),
    'Esc cancels',
  ]);
  expect(ui.text()).toMatch(/Esc cancels$/);
});

test('a prompt is seen in the smallest terminal that has room for it', () => {
  for (const rows of [1, 2, 3, 4, 6]) {
    const ui = createUi({ size: { columns: 80, rows } }).press('enter', 'f', 'x');
    expect(ui.text()).toContain('filter: x');
  }
});

test('a narrow terminal gets more rows of help, none of them cut', () => {
  const ui = createUi({ size: { columns: 40, rows: 40 } });
  const text = ui.rows().join(' ');
  for (const { key, does } of hints(ui.model)) expect(text).toContain(`${key} ${does}`);
});

describe('titles', () => {
  const full = (index: number) =>
    createUi({ size: { columns: 120, rows: 24 } })
      .ready()
      .rows()
      .filter((row) => row.startsWith('╭'))[index];

  test('tell state, height or lag, pid, uptime and ports', () => {
    const ui = createUi({ size: { columns: 120, rows: 24 } }).ready();
    ui.take({ kind: 'facts', facts: { sequencerHeight: 12, rollup: { height: 11 }, lag: 1, queued: 3 } });
    const titles = ui.rows().filter((row) => row.startsWith('╭'));
    expect(titles.map((title) => title.replace(/─+╮$/, '').trimEnd())).toEqual([
      '╭─ sequencer ─ ready · height 12 · pid 100 · up 1m 05s · port 26657',
      '╭─ composer ─ ready · queue 3 · pid 101 · up 1m 05s · port 50053',
      '╭─ rollup ─ ready · height 11 · pid 102 · up 1m 05s · port 3030',
      '╭─ conductor ─ ready · lag 1 · pid 103 · up 1m 05s · port 50054',
    ]);
  });

  test('leave out what has no room, whole facts at a time', () => {
    const title = createUi({ size: { columns: 43, rows: 30 } })
      .ready()
      .rows()
      .find((row) => row.startsWith('╭'));
    expect(title).toBe('╭─ sequencer ─ ready · pid 100 ───────────╮');
    expect(full(0)).toHaveLength(120);
  });

  test('say why a service is not ready, and how often it was started again', () => {
    const ui = createUi({ size: { columns: 120, rows: 24 } });
    ui.take({
      kind: 'status',
      services: [
        { name: 'sequencer', state: 'starting', reason: 'no answer\u001b[2J', restarts: 2, pid: 1, uptimeMs: 0 },
      ],
    });
    expect(ui.text()).toContain('sequencer ─ starting · no answer\\u{1b}[2J · pid 1 · up 0s · 2 restarts');
  });
});

test('the header tells heights, lag, transactions per second and endpoints', () => {
  const ui = createUi().ready();
  ui.take({ kind: 'facts', facts: { sequencerHeight: 12, rollup: { height: 11 }, lag: 1, rates: [0, 5, 10, 20, 40] } });
  const rows = ui.rows();
  expect(rows.slice(0, 3)).toEqual([
    'Switchyard  instance default  network local  all ready  sequencer 12',
    'rollup 11, lag 1  15 tx/s        ▁▂▃▅█  rollup http://127.0.0.1:3030',
    'RPC http://127.0.0.1:26657  gRPC 127.0.0.1:8080  composer gRPC 127.0.0.1:50052',
  ]);
  ui.take({ kind: 'status', services: [{ name: 'rollup', state: 'failed', restarts: 5 }] });
  expect(ui.rows()[0]).toContain('rollup failed');
});

test('the sparkline is as wide as ever, its highest bar full, and nothing is the lowest', () => {
  expect(sparkline([], 20)).toBe(' '.repeat(20));
  expect(sparkline([0, 1, 7], 20)).toBe(`${' '.repeat(17)}▁▂█`);
  expect(
    sparkline(
      Array.from({ length: 99 }, () => 3),
      20,
    ),
  ).toBe('█'.repeat(20));
});

describe('panes', () => {
  const bodies = (ui: ReturnType<typeof createUi>) => {
    const heights: number[] = [];
    for (const row of ui.rows()) {
      if (row.startsWith('╭')) heights.push(0);
      else if (row.startsWith('│')) heights[heights.length - 1] = (heights.at(-1) ?? 0) + 1;
    }
    return heights;
  };

  test('are as high as each other; a folded one is its title and its border', () => {
    const ui = createUi({ size: { columns: 80, rows: 30 } });
    const open = bodies(ui);
    expect(Math.max(...open) - Math.min(...open)).toBeLessThanOrEqual(1);
    const folded = bodies(ui.press('m'));
    expect(folded[0]).toBe(0);
    expect(folded.reduce((sum, rows) => sum + rows)).toBe(open.reduce((sum, rows) => sum + rows));
    expect(ui.text()).toContain('folded');
  });

  test('that are all folded stand below each other, with the empty rows after them', () => {
    const rows = createUi({ size: { columns: 80, rows: 30 } })
      .press('m', 'down', 'm', 'down', 'm', 'down', 'm')
      .rows();
    const top = rows.findIndex((row) => row.startsWith('╭'));
    expect(rows.slice(top, top + 9).map((row) => row.slice(0, 1))).toEqual([...'╭╰╭╰╭╰╭╰', '']);
  });

  test('that have no room are left out, but never the selected one', () => {
    const services = Array.from({ length: 12 }, (_, index) => service(`rollup-${index}`, 'rollup'));
    const ui = createUi({ services });
    for (let selected = 0; selected < 12; selected += 1) {
      expect(ui.text()).toContain(` rollup-${selected} `);
      ui.press('down');
    }
    expect(Math.min(...bodies(ui))).toBeGreaterThanOrEqual(1);
  });

  test('show harmless text: no sequence of a service reaches the terminal but colours', () => {
    const theme = createTheme({ borderColor: 'gray', highlightColor: 'blue' }, 'all');
    const ui = createUi().event({ kind: 'line', service: 'sequencer', text: 'a\u001b[2J\u001b[31mred\u0007 日本' });
    const row = ui.rows(theme).find((each) => each.includes('red')) ?? '';
    expect(row).toContain('a\\u{1b}[2J\u001b[31mred\\u{7} 日本');
    expect(uncoloured(row)).toMatch(/^│a.*│$/);
  });

  test('nor does one in a message of the tool', () => {
    const ui = createUi();
    ui.take({ kind: 'notice', text: 'cannot start: a\u001b[2J', at: NOW });
    expect(ui.text()).toContain('cannot start: a\\u{1b}[2J');
  });
});

describe('the path of transactions', () => {
  const journey = (over: Partial<Journey>): Journey => ({
    hash: `a6fc65${'0'.repeat(52)}25df1e`,
    rollup: 'r',
    queuedAt: NOW,
    ...over,
  });

  test('every station has its block and its time', () => {
    const ui = createUi({ size: { columns: 80, rows: 24 } });
    const path = [
      journey({}),
      journey({ bundledAt: NOW + 8 }),
      journey({ bundledAt: NOW + 8, sequenced: { at: NOW + 812, height: 40 } }),
      journey({
        bundledAt: NOW + 8,
        sequenced: { at: NOW + 812, height: 40 },
        executed: { at: NOW + 1_250, block: 39 },
      }),
      journey({ bundledAt: NOW + 8, sequenced: { at: NOW + 812, height: 40 }, executed: {} }),
      journey({ refused: { at: NOW + 30_000, reason: 'code 3: too large' } }),
    ];
    ui.take({ kind: 'facts', facts: { path } });
    const at = clockText(NOW);
    expect(
      ui
        .press('t')
        .rows()
        .slice(3, 13)
        .map((row) => row.replace(/ {2,}/g, '  ').trimEnd()),
    ).toEqual([
      'Latest transactions: queued → bundled → sequenced in block n →',
      'executed in rollup block m',
      'queued at  transaction  bundled  sequenced  executed',
      `${at}  a6fc65…25df1e  waiting`,
      `${at}  a6fc65…25df1e  +8 ms  waiting`,
      `${at}  a6fc65…25df1e  +8 ms  block 40 +812 ms  waiting`,
      `${at}  a6fc65…25df1e  +8 ms  block 40 +812 ms  block 39 +1.25 s`,
      `${at}  a6fc65…25df1e  +8 ms  block 40 +812 ms  yes`,
      `${at}  a6fc65…25df1e  refused after 30.00 s: code 3: too large`,
      '',
    ]);
  });

  test('a transaction of the EVM rollup has the hash that wallets know, and the outcome of its execution', () => {
    const ui = createUi({ size: { columns: 80, rows: 24 } });
    const sequenced = { at: NOW + 812, height: 40 };
    const executed = { at: NOW + 1_250, block: 39 };
    const done = (end: NonNullable<Journey['evm']>['end']) =>
      journey({ sequenced, executed, evm: { hash: `0x${'ab'.repeat(32)}`, end } });
    const skipped = { kind: 'skipped', why: 'refused: nonce 7, the next one is 3' } as const;
    ui.take({
      kind: 'facts',
      facts: { path: [done({ kind: 'succeeded' }), done({ kind: 'reverted' }), done(skipped)] },
    });
    const lines = ui
      .press('t')
      .rows()
      .slice(6, 9)
      .map((row) => row.replace(/ {2,}/g, '  ').trimEnd());
    expect(lines.map((line) => line.slice(line.indexOf('0x')))).toEqual([
      '0xabab…ababab  waiting  block 40 +812 ms  block 39 +1.25 s',
      '0xabab…ababab  waiting  block 40 +812 ms  reverted, block 39',
      '0xabab…ababab  refused: nonce 7, the next one is 3',
    ]);
  });

  test('a wide terminal shows hashes whole', () => {
    const ui = createUi({ size: { columns: 200, rows: 50 } }).press('t');
    ui.take({ kind: 'facts', facts: { path: [journey({})] } });
    expect(ui.text()).toContain(journey({}).hash);
  });

  test('an empty view suggests what to try', () => {
    const ui = createUi().press('t');
    expect(ui.text()).toContain('The sequencer has not answered yet.');
    ui.take({ kind: 'facts', facts: { sequencerHeight: 1 } });
    expect(ui.text()).toContain('rollup-cli submit text');
  });
});

test('a full screen describes the service', () => {
  const text = createUi({ services: FOUR }).ready().press('down', 'enter').text();
  expect(text).toContain('program /bin/composer --flag  version v1');
  expect(text).toContain('log file /home/logs/composer.log');
  expect(text).toContain('listens API http://127.0.0.1:50053');
});

test('times are short', () => {
  expect([0, 59_999, 187_000, 7_500_000, 360_000_000, -5].map(durationText)).toEqual([
    '0s',
    '59s',
    '3m 07s',
    '2h 05m',
    '4d 04h',
    '0s',
  ]);
  expect([0.4, 812, 1_250, 125_000].map(laterText)).toEqual(['+0 ms', '+812 ms', '+1.25 s', '+2m 05s']);
});
