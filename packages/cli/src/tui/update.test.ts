import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createUi, FOUR, NOW, service } from './testing.ts';
import { uncoloured } from './text.ts';

/** Rows of the log on a full screen, without their borders. */
const logRows = (ui: ReturnType<typeof createUi>) =>
  ui
    .rows()
    .filter((row) => row.startsWith('│'))
    .map((row) => uncoloured(row).slice(1, -1).trimEnd());

describe('the main view', () => {
  test('↑ and ↓ select a pane and go around', () => {
    const ui = createUi();
    const selected = (...keys: string[]) => ui.press(...keys).model.selected;
    expect([selected(), selected('down'), selected('up', 'up'), selected('down')]).toEqual([0, 1, 3, 0]);
  });

  test('Enter opens the selected pane, q and Esc lead back', () => {
    const ui = createUi().press('down', 'enter');
    expect([ui.model.screen, ui.model.selected]).toEqual(['full', 1]);
    expect(ui.press('q').model.screen).toBe('main');
    expect(ui.press('enter', 'escape').model.screen).toBe('main');
    expect(ui.effects).toEqual([]);
  });

  test('v shows a log for each service instead of the list, and back', () => {
    const ui = createUi().press('v');
    expect(ui.model.layout).toBe('panes');
    expect(ui.rows().filter((row) => row.startsWith('╭'))).toHaveLength(4);
    expect(
      ui
        .press('v')
        .rows()
        .filter((row) => row.startsWith('╭')),
    ).toHaveLength(1);
  });

  test('j and k are arrows, Tab is Enter', () => {
    const ui = createUi().press('j', 'j', 'k', 'tab');
    expect([ui.model.screen, ui.model.selected]).toEqual(['full', 1]);
  });

  test('m folds and unfolds the selected pane, and means nothing elsewhere', () => {
    const ui = createUi().press('down', 'm');
    expect(ui.model.panes.some(({ folded }) => folded)).toBe(false);
    ui.press('v', 'm');
    expect(ui.model.panes.map(({ folded }) => folded)).toEqual([false, true, false, false]);
    expect(ui.press('enter', 'm', 'q', 'm').model.panes[1]?.folded).toBe(false);
  });

  // Defect: One q too many, the key that leads back from every view, stopped the network
  test('q asks, and again stops everything once, however often it is pressed', () => {
    const ui = createUi().press('enter', 'q', 'q');
    expect(ui.effects).toEqual([]);
    expect(ui.text()).toContain('q again stops everything; any other key cancels');
    ui.press('j', 'q');
    expect(ui.effects).toEqual([]);
    ui.press('q', 'q', 'ctrl-c');
    expect(ui.effects).toEqual([{ kind: 'quit', why: 'q' }]);
    expect(ui.text()).toContain('stopping');
  });

  test.each(['main', 'enter', 'l', 't', 'i', '?', '/', 'f'])('Ctrl+C stops everything, also from %s', (key) => {
    const ui = createUi();
    if (key !== 'main') ui.press(key);
    expect(ui.press('ctrl-c').effects).toEqual([{ kind: 'quit', why: 'Ctrl+C' }]);
  });
});

describe('one service', () => {
  test('r restarts the selected one, in the main view and in its own', () => {
    const ui = createUi().press('down', 'r', 'enter', 'r');
    expect(ui.effects).toEqual([
      { kind: 'restart', service: 'composer' },
      { kind: 'restart', service: 'composer' },
    ]);
  });

  test.each([
    ['ready', 'stop'],
    ['starting', 'stop'],
    ['waiting', 'stop'],
    ['restarting', 'stop'],
    ['stopped', 'start'],
    ['failed', 'start'],
    ['finished', 'start'],
  ] as const)('s on one that is %s means %s, and the key hints show it', (state, kind) => {
    const ui = createUi();
    ui.take({ kind: 'status', services: [{ name: 'sequencer', state, restarts: 0 }] });
    expect(ui.text()).toMatch(new RegExp(`s ${kind}( |$)`, 'm'));
    expect(ui.press('s').effects).toEqual([{ kind, service: 'sequencer' }]);
  });

  test('neither means anything where no service is selected, or all of them are ending', () => {
    const ui = createUi().press('l', 'r', 's', 'q', 't', 'r', 's', 'q', '?', 'r', 's', 'q', 'q', 'q', 'r', 's');
    expect(ui.effects).toEqual([{ kind: 'quit', why: 'q' }]);
  });
});

describe('scrolling', () => {
  const opened = (count: number) => createUi().lines('sequencer', count).press('enter');

  test('the newest lines are followed until an arrow scrolls away, and again after a', () => {
    const ui = opened(100);
    const [first, last] = [logRows(ui)[0], logRows(ui).at(-1)];
    expect(last).toBe('line 99');
    ui.press('up').lines('sequencer', 5, (index) => `new ${index}`);
    expect(logRows(ui).at(-1)).toBe('line 98');
    expect(ui.text()).toContain('paused, 6 below');
    expect(ui.text()).toContain('a follow off');
    ui.press('down');
    expect([logRows(ui)[0], logRows(ui).at(-1)]).toEqual([first, last]);
    expect(logRows(ui.press('a')).at(-1)).toBe('new 4');
    expect(ui.text()).toContain('a follow ON');
  });

  test('scrolling past the newest line follows it again', () => {
    const ui = opened(100)
      .press('up', 'up', 'down', 'down')
      .lines('sequencer', 5, (index) => `new ${index}`);
    expect(logRows(ui).at(-1)).toBe('new 4');
  });

  test('0 jumps to the head and 1 to the last page, and both pause', () => {
    const ui = opened(100);
    const page = logRows(ui);
    expect(logRows(ui.press('0'))[0]).toBe('line 0');
    expect(ui.model.views.sequencer?.anchor).toBe(0);
    expect(logRows(ui.press('down'))[0]).toBe('line 1');
    expect(logRows(ui.press('up', 'up'))[0]).toBe('line 0');
    expect(logRows(ui.press('1').lines('sequencer', 1, () => 'newest'))).toEqual(page);
    expect(logRows(ui.press('home'))[0]).toBe('line 0');
    expect(logRows(ui.press('end').lines('sequencer', 1, () => 'the very newest')).at(-1)).toBe('the very newest');
    expect(logRows(ui.press('g'))[0]).toBe('line 0');
    expect(ui.press('G').model.views.sequencer?.anchor).toBeUndefined();
  });

  test('it ends at the first page and the last one', () => {
    const ui = opened(100);
    for (let press = 0; press < 200; press += 1) ui.press('up');
    const head = logRows(ui);
    expect(head[0]).toBe('line 0');
    expect(head.at(-1)).toBe(`line ${head.length - 1}`);
    ui.press('down');
    expect(logRows(ui)[0]).toBe('line 1');
    for (let press = 0; press < 200; press += 1) ui.press('down');
    expect(logRows(ui).at(-1)).toBe('line 99');
  });

  test('a page is what is seen, less one line', () => {
    const ui = opened(100);
    const rows = logRows(ui).length;
    expect(logRows(ui.press('page-up')).at(-1)).toBe(`line ${100 - rows}`);
    expect(logRows(ui.press('page-down')).at(-1)).toBe('line 99');
  });

  test('what is being read stays where it is while old lines are forgotten, as long as it is kept', () => {
    const ui = createUi({ toml: 'max_ui_log_lines = 50' }).lines('sequencer', 50).press('enter', 'up');
    const before = logRows(ui);
    ui.lines('sequencer', 10, (index) => `new ${index}`);
    expect(logRows(ui)).toEqual(before);
    ui.lines('sequencer', 100, (index) => `newer ${index}`);
    expect(logRows(ui)[0]).toBe('newer 50');
  });

  test.each(['a', ' ', 'page-up', 'home'])(
    '%j pauses the log of one service, and the others are still followed',
    (key) => {
      const ui = createUi().lines('sequencer', 50).lines('composer', 50).press(key);
      ui.lines('sequencer', 10, (index) => `new ${index}`).lines('composer', 10, (index) => `new ${index}`);
      expect(logRows(ui).at(-1)).not.toBe('new 9');
      expect(logRows(ui.press('down')).at(-1)).toBe('new 9');
      expect(logRows(ui.press('l')).at(-1)).toBe('composer   │ new 9');
      expect(logRows(ui.press('q', 'up', 'a')).at(-1)).toBe('new 9');
    },
  );

  test('wrapped lines scroll by lines, and the head of the log can be reached', () => {
    const long = (index: number) => `${index}:${'x'.repeat(200)}`;
    const ui = createUi().lines('sequencer', 10, long).press('enter', 'w');
    for (let press = 0; press < 50; press += 1) ui.press('up');
    expect(logRows(ui)[0]).toMatch(/^0:x/);
    expect(logRows(ui.press('1')).at(-1)).toMatch(/^x+$/);
  });

  test('who does not want to follow starts at the beginning', () => {
    const ui = createUi({ toml: 'auto_scroll = false' }).lines('sequencer', 100).press('enter');
    expect(logRows(ui)[0]).toBe('line 0');
  });
});

describe('searching', () => {
  const logged = () => createUi().lines('sequencer', 100).press('enter');
  const matches = (ui: ReturnType<typeof createUi>) => ui.model.views.sequencer?.search?.match;

  test('/ goes to the newest match, n above it, N below it', () => {
    const ui = logged().press('/', 'LINE 2', 'enter');
    expect(matches(ui)).toBe(29);
    expect(logRows(ui)).toContain('line 29');
    expect(ui.text()).toContain('search LINE 2');
    expect(matches(ui.press('n'))).toBe(28);
    expect(matches(ui.press('N'))).toBe(29);
    expect(ui.text()).toContain('n/N next above/below');
  });

  test('a search without a match shows a notice, and nothing moves', () => {
    const ui = logged().press('/', 'nowhere', 'enter');
    expect(ui.text()).toContain('no line with nowhere');
    expect([ui.model.prompt, ui.model.views.sequencer?.anchor]).toEqual([undefined, undefined]);
    ui.press('/', 'line 0', 'enter', 'n');
    expect(ui.text()).toContain('no line above with line 0');
  });

  test('keys are letters while something is typed, and Esc takes it back', () => {
    const ui = createUi().press('/', 'qar', 'backspace');
    expect(ui.text()).toContain('search: qa');
    expect(ui.press('escape').model.prompt).toBeUndefined();
    expect(ui.effects).toEqual([]);
  });

  test('an empty search, and Esc in the main view, end it', () => {
    const ui = createUi().lines('sequencer', 5).press('/', 'line 1', 'enter');
    expect(ui.model.views.sequencer?.search).toEqual({ query: 'line 1', match: 1 });
    expect(ui.press('/', 'enter').model.views.sequencer?.search).toBeUndefined();
    expect(ui.press('/', 'line', 'enter', 'escape').model.views.sequencer?.search).toBeUndefined();
  });
});

describe('filtering', () => {
  test('f leaves the lines that match, and only in this log', () => {
    const ui = createUi().lines('sequencer', 30).lines('composer', 30).press('enter', 'f', '[05]$', 'enter');
    expect(logRows(ui).filter((row) => row !== '')).toEqual([
      'line 0',
      'line 5',
      'line 10',
      'line 15',
      'line 20',
      'line 25',
    ]);
    expect(ui.text()).toContain('filter [05]$');
    expect(logRows(ui.press('q', 'down', 'enter'))).toContain('line 29');
  });

  test('scrolling and searching pass over what is left out', () => {
    const ui = createUi().lines('sequencer', 400).press('enter', 'f', '0$', 'enter', 'up');
    expect(logRows(ui).at(-1)).toBe('line 380');
    ui.press('/', 'line 2', 'enter');
    expect(ui.model.views.sequencer?.search?.match).toBe(290);
  });

  test('an invalid expression is reported in the prompt, and can be corrected', () => {
    const ui = createUi().press('f', 'a(', 'enter');
    expect(ui.text()).toContain('not a regular expression');
    expect(ui.press('backspace', 'enter').model.views.sequencer?.filter?.text).toBe('a');
    expect(ui.press('f', 'enter').model.views.sequencer?.filter).toBeUndefined();
  });

  test('Esc in the main view ends a filter too', () => {
    const ui = createUi().press('f', 'warn', 'enter');
    expect(ui.press('escape').model.views.sequencer?.filter).toBeUndefined();
  });
});

describe('other views', () => {
  test('l shows the lines of all services in the order they came, with prefixes', () => {
    const ui = createUi().lines('sequencer', 1).lines('conductor', 1).press('l');
    expect(logRows(ui).slice(0, 2)).toEqual(['sequencer  │ line 0', 'conductor  │ line 0']);
    expect(ui.press('l').model.screen).toBe('main');
  });

  test('? opens and closes the help over any view, t the path of transactions', () => {
    const ui = createUi().press('enter', '?');
    expect(ui.model.screen).toBe('help');
    expect(ui.press('?').model.screen).toBe('full');
    expect(ui.press('t').model.screen).toBe('path');
    expect(ui.press('t').model.screen).toBe('main');
    expect(ui.press('l', '?', 'q').model.screen).toBe('merged');
  });

  test('i shows URLs, accounts and commands, whole also on a narrow terminal', () => {
    const ui = createUi().press('i');
    expect(ui.text()).toContain('Known once all services are ready.');
    ui.take({ kind: 'about', items: [{ kind: 'fact', label: 'key', value: '0123456789abcdef'.repeat(8) }] });
    expect(ui.text().replaceAll(/\s/g, '')).toContain(`key${'0123456789abcdef'.repeat(8)}`);
    expect(ui.press('i').model.screen).toBe('main');
  });

  test('a list longer than the screen scrolls to its end and not beyond', () => {
    const ui = createUi({ size: { columns: 60, rows: 16 } }).press('?');
    for (let press = 0; press < 100; press += 1) ui.press('down');
    expect(ui.text()).toContain('stop everything');
    const top = ui.model.listTop;
    expect(ui.press('up').model.listTop).toBe(top - 1);
    for (let press = 0; press < 100; press += 1) ui.press('page-up');
    expect(ui.model.listTop).toBe(0);
  });

  test('b leaves the borders out of full screens, for copying', () => {
    const ui = createUi().lines('sequencer', 3).press('b');
    expect(ui.model.borderless).toBe(false);
    const rows = ui.press('enter', 'b').rows();
    expect(rows).toContain('line 2');
    expect(rows.join('')).not.toContain('│');
  });
});

test('c copies the lines of a whole log that pass its filter, the newest ones if they are many', () => {
  const ui = createUi().lines('sequencer', 3).press('c');
  expect(ui.effects).toEqual([]);
  ui.event({ kind: 'line', service: 'sequencer', text: '\u001b[31mred\u001b[0m' }).press(
    'enter',
    'f',
    '[02]|red',
    'enter',
    'c',
  );
  expect(ui.effects).toEqual([{ kind: 'copy', text: 'line 0\nline 2\nred' }]);
  expect(ui.text()).toContain('3 lines copied');
  ui.press('f', 'enter')
    .lines('sequencer', 100, (index) => `${index} `.repeat(1_000))
    .press('c');
  const last = ui.effects.at(-1);
  expect(last?.kind === 'copy' && last.text.length).toBeLessThan(50_000);
  expect(last?.kind === 'copy' && last.text.endsWith('99 99 ')).toBe(true);
});

describe('the life of services', () => {
  test('is written into their panes and the merged log', () => {
    const ui = createUi();
    ui.event({ kind: 'started', service: 'rollup', pid: 7 })
      .event({ kind: 'exited', service: 'rollup', exit: { code: 3, signal: undefined }, lastLines: [] })
      .event({ kind: 'restarting', service: 'rollup', afterMs: 250, failures: 1 })
      .event({ kind: 'exited', service: 'rollup', exit: { code: 0, signal: undefined }, lastLines: [] })
      .event({ kind: 'failed', service: 'rollup', reason: 'its configuration is wrong' })
      .press('down', 'down', 'enter');
    expect(logRows(ui).slice(0, 5)).toEqual([
      '[switchyard] started, pid 7',
      '[switchyard] ended: exit code 3',
      '[switchyard] restarts in 250 ms, after 1 failure',
      '[switchyard] ended: exit code 0',
      '[switchyard] failed permanently: its configuration is wrong',
    ]);
    expect(logRows(ui.press('q', 'l'))[1]).toBe('rollup     │ [switchyard] ended: exit code 3');
  });

  test('a message of the tool is shown for a while and kept in the merged log', () => {
    const ui = createUi();
    ui.notice('port 3030 is taken');
    expect(ui.text()).toContain('port 3030 is taken');
    ui.notice('x', NOW - 60_000);
    expect(ui.text()).not.toContain('x\n');
    expect(logRows(ui.press('l'))[0]).toBe('switchyard │ port 3030 is taken');
  });
});

test('settings say how it starts', () => {
  const services = [...FOUR, service('mine')];
  expect(createUi({ services }).model.panes.map(({ name, folded }) => [name, folded])).toEqual([
    ['sequencer', false],
    ['composer', false],
    ['rollup', false],
    ['conductor', false],
    ['mine', true],
  ]);
  const other = createUi({
    services,
    toml: `wrap_lines = true\nborderless = true\nconductor_starts_minimized = true
      generic_starts_minimized = false\ngeneric_start_position = "before"`,
  }).model;
  expect([other.wrap, other.borderless]).toEqual([true, true]);
  expect(other.panes.map(({ name, folded }) => [name, folded]).filter(([, folded]) => folded)).toEqual([
    ['conductor', true],
  ]);
  expect(other.panes[0]?.name).toBe('mine');
});

test('no order of keys, lines and sizes makes it fail or fills another number of rows than the terminal has', () => {
  const keys = [
    'up',
    'down',
    'page-up',
    'page-down',
    'home',
    'end',
    'enter',
    'escape',
    'backspace',
    'tab',
    ...'mawb01rsq?tl/fnNx(🚀vTcgGjk ',
  ];
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...keys).map((key) => ({ key })) },
    { weight: 2, arbitrary: fc.record({ lines: fc.nat(60), from: fc.constantFrom('sequencer', 'rollup') }) },
    { weight: 1, arbitrary: fc.record({ columns: fc.nat(130), rows: fc.nat(40) }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const ui = createUi({ toml: 'max_ui_log_lines = 40', services: [...FOUR, service('mine')] }).ready();
      for (const each of steps) {
        if ('key' in each) ui.press(each.key);
        else if ('lines' in each) ui.lines(each.from, each.lines, (index) => `日本 ${'y'.repeat(index * 7)}`);
        else ui.resize(each.columns, each.rows);
        const { columns, rows } = ui.model.size;
        expect(ui.rows()).toHaveLength(columns === 0 ? 0 : rows);
      }
    }),
    // New orders in each run of the suite; one is up to 40 steps.
    { numRuns: 50 },
  );
});
