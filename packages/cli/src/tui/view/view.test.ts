import { describe, expect, test } from 'vitest';
import type { Journey } from '../../dev/status/journey.ts';
import { helpRows } from '../frame.ts';
import { createUi, FOUR, NOW, service } from '../testing.ts';
import { measureWidth, uncoloured } from '../text.ts';
import { createTheme } from '../theme.ts';
import { hints } from './footer.ts';
import { sparkline } from './header.ts';
import { clockText, durationText, laterText } from './time-text.ts';

const SIZES = [
  [40, 10],
  [80, 24],
  [100, 30],
  [200, 60],
] as const;
const SCREENS = {
  main: '',
  panes: 'v',
  full: 'enter',
  merged: 'l',
  path: 't',
  about: 'i',
  summary: 'o',
  help: '?',
} as const;
const EIGHT = [
  service('sequencer', 'sequencer', 26_657),
  service('composer', 'composer', 50_053),
  service('conductor', 'conductor', 50_054),
  service('rollup', 'rollup', 3_030),
  service('evm', 'rollup', 8_545),
  service('evm-conductor', 'conductor', 50_056),
  service('faucet', 'generic', 3_031),
  service('explorer', 'generic', 3_033),
];

describe.each(SIZES)('at %i × %i', (columns, rows) => {
  test.each(Object.entries(SCREENS))(
    'the %s screen fills the terminal, no row is wider, no border is cut',
    (_, key) => {
      const ui = createUi({ size: { columns, rows }, services: EIGHT })
        .ready()
        .lines('rollup', 200, (index) => `${index} `.repeat(99));
      if (key !== '') ui.press(key);
      const lines = ui.rows();
      expect(lines).toHaveLength(rows);
      for (const line of lines) expect(measureWidth(line)).toBeLessThanOrEqual(columns);
      for (const line of lines.filter((each) => each.startsWith('│'))) expect(line).toHaveLength(columns);
      for (const line of lines.filter((each) => each.startsWith('╭'))) expect([...line].at(-1)).toBe('╮');
    },
  );

  test.each(Object.entries(SCREENS))('the %s screen shows how to get help or back, whole', (_, key) => {
    const ui = createUi({ size: { columns, rows } }).ready();
    if (key !== '') ui.press(key);
    const text = ui.text();
    for (const { key: name, does } of hints(ui.model).slice(-2)) expect(text).toContain(`${name} ${does}`);
  });
});

test('a terminal of 100 columns has room for every key of every screen', () => {
  for (const key of Object.values(SCREENS)) {
    const ui = createUi({ size: { columns: 100, rows: 30 } }).ready();
    if (key !== '') ui.press(key);
    const text = ui.rows().join('  ');
    for (const { key: name, does } of hints(ui.model)) expect(text).toContain(`${name} ${does}`);
  }
});

test.each([
  [80, 24],
  [200, 60],
])('at %i × %i the help shows every key whole', (columns, rows) => {
  const text = createUi({ size: { columns, rows } }).press('?').text();
  expect(text).not.toContain('…');
  for (const { keys, help } of helpRows()) {
    expect(text.split('\n').some((row) => row.includes(` ${keys} `) && row.endsWith(help))).toBe(true);
  }
});

describe('the list of services', () => {
  const listed = (ui: ReturnType<typeof createUi>) => {
    const rows = ui.rows();
    const from = rows.findIndex((row) => row.startsWith(' SERVICE'));
    const to = rows.findIndex((row, index) => index > from && row.startsWith('╭'));
    return rows.slice(from, to).map((row) => row.trim().replace(/ {2,}/g, '  '));
  };

  test('has all eight at 80 × 24, and a log below', () => {
    const ui = createUi({ services: EIGHT }).ready().lines('evm', 3);
    ui.facts({
      sequencerHeight: 1_245,
      rollups: [
        { name: 'chat', service: 'rollup', height: 1_244, lag: 0 },
        { name: 'coins', service: 'evm', height: 775, lag: 6 },
      ],
      lags: { conductor: 0, 'evm-conductor': 6 },
      queued: 3,
      usage: Object.fromEntries(
        EIGHT.map(({ name }, index) => [name, { cpuPercent: index * 1.25, residentBytes: 90_000_000 }]),
      ),
    });
    expect(listed(ui)).toEqual([
      'SERVICE  STATE  PROGRESS  RST  UP  CPU  MEM  LAST LINE',
      'sequencer  ready  height 1245  0  1m 05s  0.0%  86M',
      'composer  ready  queue 3  0  1m 05s  1.3%  86M',
      'conductor  ready  lag 0  0  1m 05s  2.5%  86M',
      'rollup  ready  height 1244  0  1m 05s  3.8%  86M',
      'evm  ready  height 775  0  1m 05s  5.0%  86M  line 2',
      'evm-conductor  ready  lag 6  0  1m 05s  6.3%  86M',
      'faucet  ready  0  1m 05s  7.5%  86M',
      'explorer  ready  0  1m 05s  8.8%  86M',
    ]);
    expect(ui.rows().filter((row) => row.startsWith('│')).length).toBeGreaterThanOrEqual(5);
  });

  test('leaves out columns that nothing is known of, and those without room', () => {
    const titles = (columns: number) => listed(createUi({ size: { columns, rows: 24 } }).ready())[0];
    expect(titles(80)).toBe('SERVICE  STATE  RST  UP  LAST LINE');
    expect(titles(40)).toBe('SERVICE  STATE  LAST LINE');
    expect(titles(160)).toBe('SERVICE  STATE  RST  UP  PID  PORTS  LAST LINE');
  });

  test('shows why a service is not ready, else its last line without time and usual levels', () => {
    const ui = createUi({ size: { columns: 120, rows: 24 } }).ready();
    ui.event({ kind: 'line', service: 'sequencer', text: '08:04:02.462 INFO  block stored height=1' });
    ui.event({ kind: 'ready', service: 'sequencer', ms: 5 });
    ui.event({ kind: 'line', service: 'composer', text: '08:04:02.462 WARN  \u001b[2Jcannot submit' });
    const status = {
      name: 'rollup',
      state: 'restarting',
      restarts: 2,
      reason: 'exit code 1; restarts in 5 s',
    } as const;
    ui.take({ kind: 'status', services: [status] });
    expect(listed(ui).slice(1, 4)).toEqual([
      'sequencer  ready  0  1m 05s  100  block stored height=1',
      'composer  ready  0  1m 05s  101  WARN  \\u{1b}[2Jcannot submit',
      'rollup  restarting  2  exit code 1; restarts in 5 s',
    ]);
    expect(ui.rows()[0]).toContain('rollup crashes');
  });

  test('scrolls where there is no room for all, and the selected one is always there', () => {
    const services = Array.from({ length: 40 }, (_, index) => service(`rollup-${index}`, 'rollup'));
    for (const rows of [8, 10, 16, 24]) {
      const ui = createUi({ services, size: { columns: 80, rows } });
      for (let selected = 0; selected < 40; selected += 1) {
        expect(ui.text()).toMatch(new RegExp(`^ rollup-${selected} `, 'm'));
        ui.press('down');
      }
    }
  });

  test('keeps its columns in step with names of wide and of no width', () => {
    const rows = createUi({ services: [service('日本'), service('e\u0301tat'), service('abc')] })
      .ready()
      .rows();
    const from = rows.findIndex((row) => row.startsWith(' SERVICE'));
    const getColumn = (row: string) => measureWidth(row.slice(0, row.indexOf('ready')));
    expect(new Set(rows.slice(from + 1, from + 4).map(getColumn))).toEqual(new Set([10]));
  });
});

test('a prompt explains what Enter does, whole', () => {
  const ui = createUi({ size: { columns: 60, rows: 24 } }).press('f', 'x');
  expect(ui.rows().slice(-3)).toEqual([
    expect.stringMatching(/^filter: x/),
    'Enter shows a level (error, warn, info, debug) and worse, or',
    'what matches an expression; Esc cancels',
  ]);
});

test('a message and a short prompt take the place of hints, so that nothing above them moves', () => {
  const ui = createUi().ready().lines('sequencer', 50);
  const above = () => ui.rows().slice(0, -2);
  const before = above();
  expect(ui.notice('port 3030 is taken').rows().at(-1)).toBe('port 3030 is taken');
  expect(above()).toEqual(before);
  ui.press('/', 'x');
  expect(above()).toEqual(before);
});

test('a prompt is seen in the smallest terminal that has room for it', () => {
  for (const rows of [1, 2, 3, 4, 6]) {
    const ui = createUi({ size: { columns: 80, rows } }).press('enter', 'f', 'x');
    expect(ui.text()).toContain('filter: x');
  }
});

describe('titles of panes', () => {
  const panes = (columns: number, rows: number) =>
    createUi({ size: { columns, rows }, toml: 'layout = "panes"' }).ready();

  test('have state, height or lag, pid, uptime and ports', () => {
    const ui = panes(120, 24).facts({
      sequencerHeight: 12,
      rollups: [{ name: 'chat', service: 'rollup', height: 11, lag: 1 }],
      lags: { conductor: 1 },
      queued: 3,
    });
    const titles = ui.rows().filter((row) => row.startsWith('╭'));
    expect(titles.map((title) => title.replace(/─+╮$/, '').trimEnd())).toEqual([
      '╭─ sequencer ─ ready · height 12 · pid 100 · up 1m 05s · port 26657',
      '╭─ composer ─ ready · queue 3 · pid 101 · up 1m 05s · port 50053',
      '╭─ rollup ─ ready · height 11 · pid 102 · up 1m 05s · port 3030',
      '╭─ conductor ─ ready · lag 1 · pid 103 · up 1m 05s · port 50054',
    ]);
    expect(titles[0]).toHaveLength(120);
  });

  test('leave out what has no room, whole facts at a time', () => {
    expect(
      panes(43, 30)
        .rows()
        .find((row) => row.startsWith('╭')),
    ).toBe('╭─ sequencer ─ ready · pid 100 ───────────╮');
  });

  test('have the reason why a service is not ready, and how often it was restarted', () => {
    const ui = createUi({ size: { columns: 120, rows: 24 } }).press('enter');
    const status = { name: 'sequencer', state: 'starting', restarts: 2, pid: 1, uptimeMs: 0 } as const;
    ui.take({ kind: 'status', services: [{ ...status, reason: 'no answer\u001b[2J' }] });
    expect(ui.text()).toContain('sequencer ─ starting · no answer\\u{1b}[2J · pid 1 · up 0s · 2 restarts');
  });
});

describe('the header', () => {
  const rollups = [
    { name: 'chat', service: 'rollup', height: 11, lag: 1 },
    { name: 'coins', service: 'evm', height: 7, lag: 30 },
  ];

  test('has the height and the lag of each rollup, transactions per second and endpoints', () => {
    const ui = createUi({ services: EIGHT })
      .ready()
      .facts({ sequencerHeight: 12, rollups, rates: [0, 5, 10, 20, 40] });
    expect(ui.rows().slice(0, 4)).toEqual([
      ` Switchyard   instance default  network local${' '.repeat(25)} all ready`,
      'sequencer 12  chat 11 lag 1  coins 7 lag 30  15 tx/s        ▁▂▃▅█',
      'coins is 30 blocks behind: the log of its conductor names the cause  no errors',
      'rollup http://127.0.0.1:3030  RPC http://127.0.0.1:26657  gRPC 127.0.0.1:8080',
    ]);
  });

  test('shows the state of a rollup that is down in the place of its height, and the others as they are', () => {
    const ui = createUi({ services: EIGHT }).ready().facts({ sequencerHeight: 12, rollups });
    ui.take({ kind: 'status', services: [{ name: 'rollup', state: 'failed', restarts: 5 }] });
    expect(ui.rows().slice(0, 2)).toEqual([
      expect.stringMatching(/ rollup failed$/),
      expect.stringContaining('sequencer 12  chat failed  coins 7 lag 30'),
    ]);
    ui.take({ kind: 'status', services: [{ name: 'rollup', state: 'ready', restarts: 5 }] });
    ui.facts({ rollups: [{ name: 'chat', service: 'rollup' }, ...rollups.slice(1)] });
    expect(ui.rows()[1]).toContain('chat -  coins 7 lag 30');
  });

  test('tells why the sequencer makes no blocks', () => {
    const halt = '2 of 4 validators answer, 3 are needed, no block since height 994 (2 minutes)';
    expect(createUi({ services: EIGHT }).ready().facts({ sequencerHeight: 994, halt }).rows()[0]).toBe(halt);
  });

  test('has a colour for each state', () => {
    const theme = createTheme({ borderColor: 'gray', highlightColor: 'blue' }, 'all');
    const ui = createUi({ services: EIGHT }).ready().facts({ sequencerHeight: 12, rollups });
    expect(ui.rows(theme)[0]).toContain('\u001b[32mall ready\u001b[0m');
    expect(ui.rows(theme)[1]).toContain('\u001b[1;31mlag 30\u001b[0m');
  });

  test('keeps its height while numbers grow', () => {
    const at = (sequencerHeight: number, lag: number) =>
      createUi({ services: EIGHT, size: { columns: 60, rows: 24 } })
        .ready()
        .facts({ sequencerHeight, rollups: [{ name: 'chat', service: 'rollup', height: sequencerHeight, lag }] })
        .rows()
        .findIndex((row) => row.startsWith(' SERVICE'));
    expect(at(1, 0)).toBe(at(99_999, 9));
  });
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

  const toml = 'layout = "panes"';

  test('are as high as each other; a folded one is its title and its border', () => {
    const ui = createUi({ toml, size: { columns: 80, rows: 30 } });
    const open = bodies(ui);
    expect(Math.max(...open) - Math.min(...open)).toBeLessThanOrEqual(1);
    const folded = bodies(ui.press('m'));
    expect(folded[0]).toBe(0);
    expect(folded.reduce((sum, rows) => sum + rows)).toBe(open.reduce((sum, rows) => sum + rows));
    expect(ui.text()).toContain('folded');
  });

  test('that are all folded stand below each other, with the empty rows after them', () => {
    const rows = createUi({ toml, size: { columns: 80, rows: 30 } })
      .press('m', 'down', 'm', 'down', 'm', 'down', 'm')
      .rows();
    const top = rows.findIndex((row) => row.startsWith('╭'));
    expect(rows.slice(top, top + 9).map((row) => row.slice(0, 1))).toEqual([...'╭╰╭╰╭╰╭╰', '']);
  });

  test('that have no room are left out, but never the selected one', () => {
    const services = Array.from({ length: 12 }, (_, index) => service(`rollup-${index}`, 'rollup'));
    const ui = createUi({ services, toml });
    for (let selected = 0; selected < 12; selected += 1) {
      expect(ui.text()).toContain(` rollup-${selected} `);
      ui.press('down');
    }
    expect(Math.min(...bodies(ui))).toBeGreaterThanOrEqual(1);
  });

  test('show harmless text: no sequence of a service reaches the terminal but colours', () => {
    const theme = createTheme({ borderColor: 'gray', highlightColor: 'blue' }, 'all');
    const ui = createUi().event({ kind: 'line', service: 'sequencer', text: 'a\u001b[2J\u001b[31mred\u0007 日本' });
    const row = ui.rows(theme).find((each) => each.startsWith('\u001b[38;2;0;0;255m│')) ?? '';
    expect(row).toContain('a\\u{1b}[2J\u001b[31mred\\u{7} 日本');
    expect(uncoloured(row)).toMatch(/^│a.*│$/);
  });

  test('nor does one in a message of the tool', () => {
    const ui = createUi();
    ui.notice('cannot start: a\u001b[2J');
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

  const rollups = [{ id: 'r', name: 'chat', service: 'rollup', height: 40, firm: 38 }];
  const sequenced = { at: NOW + 812, height: 40 };
  const executed = { at: NOW + 1_250, block: 39 };
  const table = (ui: ReturnType<typeof createUi>) => {
    const rows = ui.rows();
    return rows
      .slice(rows.findIndex((row) => row.startsWith(' QUEUED')))
      .map((row) => row.trim().replace(/ {2,}/g, '  '));
  };

  test('every row has the rollup, the state, the blocks and the time', () => {
    const path = [
      journey({}),
      journey({ rollup: 'of-another', bundledAt: NOW + 8 }),
      journey({ bundledAt: NOW + 8, sequenced }),
      journey({ bundledAt: NOW + 8, sequenced, executed }),
      journey({ bundledAt: NOW + 8, sequenced, executed: { at: NOW + 1_250, block: 38 } }),
      journey({ bundledAt: NOW + 8, sequenced, executed: {} }),
      journey({ refused: { at: NOW + 30_000, reason: 'code 3: too large' } }),
    ];
    const ui = createUi().facts({ path, rollups }).press('t', 'enter');
    const at = clockText(NOW).slice(0, 8);
    expect(table(ui).slice(0, 8)).toEqual([
      'QUEUED  ROLLUP  TRANSACTION  STATE  SEQUENCER  BLOCK  TOOK',
      `${at}  chat  a6fc65…25df1e  queued`,
      `${at}  of-another  a6fc65…25df1e  bundled  8 ms`,
      `${at}  chat  a6fc65…25df1e  sequenced  40  812 ms`,
      `${at}  chat  a6fc65…25df1e  executed  40  39  1.25 s`,
      `${at}  chat  a6fc65…25df1e  firm  40  38  1.25 s`,
      `${at}  chat  a6fc65…25df1e  executed  40  812 ms`,
      `${at}  chat  a6fc65…25df1e  refused  code 3: too large`,
    ]);
  });

  test('a transaction of the EVM rollup has the hash that wallets know, and the outcome of its execution', () => {
    const done = (end: NonNullable<Journey['outcome']>['end']) =>
      journey({ sequenced, executed, outcome: { hash: `0x${'ab'.repeat(32)}`, end } });
    const path = [
      done({ kind: 'succeeded' }),
      done({ kind: 'reverted' }),
      done({ kind: 'skipped', why: 'refused: nonce 7, the next one is 3' }),
      done({ kind: 'skipped', why: 'replaced by 0x1' }),
    ];
    const ui = createUi().facts({ path, rollups }).press('t', 'enter');
    const lines = table(ui).slice(1, 5);
    expect(lines.map((line) => line.slice(line.indexOf('0x')))).toEqual([
      '0xabab…ababab  executed  40  39  1.25 s',
      '0xabab…ababab  reverted  40  39  1.25 s',
      '0xabab…ababab  refused  nonce 7, the next one is 3',
      '0xabab…ababab  replaced  by 0x1',
    ]);
  });

  test('details have the hash, the bundle, the blocks and whether it is firm, whole', () => {
    const outcome = { hash: `0x${'ab'.repeat(32)}`, end: { kind: 'reverted' } } as const;
    const bundle = 'cd'.repeat(32);
    const path = [journey({ bundledAt: NOW + 8, sequenced, executed, bundle, outcome, rollup: '5'.repeat(64) })];
    const ui = createUi()
      .facts({ path, rollups: [{ ...rollups[0], name: 'coins', id: '5'.repeat(64) }] })
      .press('t');
    const rows = ui.rows().filter((row) => row.startsWith('│'));
    expect(rows.map((row) => row.slice(1, -1).trim().replace(/ {2,}/g, ' '))).toEqual([
      `hash ${outcome.hash}`,
      `submission ${path[0]?.hash}`,
      'rollup coins',
      `rollup id ${'5'.repeat(64)}`,
      'state reverted',
      `queued ${clockText(NOW)}`,
      'bundled +8 ms',
      `bundle ${bundle}`,
      'sequenced +812 ms in sequencer block 40',
      'executed +1.25 s in rollup block 39',
      'firm not yet',
    ]);
  });

  test('the selected one stays selected when newer ones come, and c copies its hash', () => {
    const path = [1, 2, 3].map((at) => journey({ queuedAt: NOW - at, hash: `${at}`.repeat(64) }));
    const ui = createUi().facts({ path }).press('t', 'down');
    ui.facts({ path: [journey({ queuedAt: NOW, hash: '0'.repeat(64) }), ...path] }).press('c');
    expect(ui.effects).toEqual([{ kind: 'copy', text: '2'.repeat(64) }]);
    expect(ui.text()).toContain('the hash copied');
    // The first row always stands for the newest.
    ui.press('up', 'up')
      .facts({ path: [journey({ queuedAt: NOW + 1, hash: '4'.repeat(64) }), ...path] })
      .press('c');
    expect(ui.effects.at(-1)).toEqual({ kind: 'copy', text: '4'.repeat(64) });
  });

  test('a wide terminal shows hashes whole', () => {
    const ui = createUi({ size: { columns: 200, rows: 50 } }).press('t', 'enter');
    expect(ui.facts({ path: [journey({})] }).text()).toContain(journey({}).hash);
  });

  test('a page without any explains what to do', () => {
    const ui = createUi().press('t', 'up', 'down', 'c', 'enter');
    expect(ui.text()).toContain('The sequencer has not answered yet.');
    expect(ui.facts({ sequencerHeight: 1 }).text()).toContain('The key i shows commands to try.');
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

describe('heights of a data-availability layer', () => {
  const rollups = [{ name: 'chat', service: 'rollup', height: 44, firm: 42, layerHeight: 90, lag: 0 }];
  const layer = { service: 'relayer', height: 91, postedHeight: 43, lag: 1 };
  const services = [service('rollup', 'rollup', 3_030), service('relayer', 'generic', 2_450)];
  const header = (columns: number, state: 'ready' | 'stopped' = 'ready') => {
    const ui = createUi({ size: { columns, rows: 24 }, services }).ready();
    ui.take({ kind: 'status', services: [{ name: 'relayer', state, restarts: 0 }] });
    ui.facts({ sequencerHeight: 44, rollups, layer });
    return ui.rows().slice(1, 3).join('\n');
  };

  test('are in the header, in a wide terminal for each rollup too', () => {
    expect(header(80)).toMatch(/chat 44 firm 42 lag 0 {2}layer 91 posted 43 lag 1/);
    expect(header(120)).toMatch(/chat 44 firm 42 at 90 lag 0 {2}layer 91 posted 43 lag 1/);
  });

  test('a relayer that is down has its state there', () => {
    expect(header(80, 'stopped')).toMatch(/layer stopped/);
  });
});

test('a withdrawer shows what it has paid, and what its bridge account lacks', () => {
  const services = [service('withdrawer', 'generic', 2_451)];
  const shown = (more: object) => {
    const ui = createUi({ size: { columns: 120, rows: 24 }, services }).ready();
    ui.facts({ withdrawals: [{ service: 'withdrawer', paid: 3, waiting: 0, held: 0, ...more }] });
    return ui.rows().join('\n');
  };
  expect(shown({})).toMatch(/withdrawer +ready +paid 3 /);
  expect(shown({ waiting: 2, held: 1 })).toMatch(/ready +paid 3, 2 wait, 1 held /);
  expect(shown({ missing: '5' })).toMatch(/ready +LACKS 5 /);
});
