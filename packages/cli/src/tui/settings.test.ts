import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadTuiSettings, overrideInstance, parseTuiConfig, readTuiSettings, tuiConfigText } from './settings.ts';

const DEFAULTS = {
  autoScroll: true,
  wrapLines: false,
  borderless: false,
  layout: 'list',
  timestamps: true,
  overrideInstanceName: 'default',
  sequencerStartsMinimized: false,
  composerStartsMinimized: false,
  rollupStartsMinimized: false,
  conductorStartsMinimized: false,
  cometbftStartsMinimized: false,
  genericStartsMinimized: true,
  genericStartPosition: 'after',
  highlightColor: 'dodgerblue',
  borderColor: 'gray',
  maxUiLogLines: 1_000,
};
const home = () => mkdtempSync(join(tmpdir(), 'switchyard-tui-'));

test('a new file holds every key with its default', () => {
  const read = parseTuiConfig(tuiConfigText(), 'f');
  expect(read).toEqual({ settings: DEFAULTS, problems: [] });
  expect(parseTuiConfig('', 'f')).toEqual(read);
});

test('every key counts, in any letter case', () => {
  const text = `AUTO_SCROLL = false
    wrap_lines = true
    borderless = true
    layout = "panes"
    timestamps = false
    override_instance_name = "mine"
    sequencer_starts_minimized = true
    composer_starts_minimized = true
    rollup_starts_minimized = true
    conductor_starts_minimized = true
    cometbft_starts_minimized = true
    generic_starts_minimized = false
    generic_start_position = "before"
    highlight_color = "#ff0000"
    border_color = "Tomato"
    max_ui_log_lines = 0`;
  expect(parseTuiConfig(text, 'f')).toEqual({
    settings: {
      autoScroll: false,
      wrapLines: true,
      borderless: true,
      layout: 'panes',
      timestamps: false,
      overrideInstanceName: 'mine',
      sequencerStartsMinimized: true,
      composerStartsMinimized: true,
      rollupStartsMinimized: true,
      conductorStartsMinimized: true,
      cometbftStartsMinimized: true,
      genericStartsMinimized: false,
      genericStartPosition: 'before',
      highlightColor: '#ff0000',
      borderColor: 'Tomato',
      maxUiLogLines: 0,
    },
    problems: [],
  });
});

test.each([
  ['auto_scroll = "yes"', 'f: auto_scroll: expected true or false, got "yes"; true is used'],
  ['max_ui_log_lines = -1', 'f: max_ui_log_lines: expected a whole number from 0 to 100000, got -1; 1000 is used'],
  ['max_ui_log_lines = 1.5', 'f: max_ui_log_lines: expected a whole number from 0 to 100000, got 1.5; 1000 is used'],
  [
    'border_color = "grau"',
    'f: border_color: expected a colour of the web such as "dodgerblue", or "#rrggbb"; did you mean "gray"?, got "grau"; "gray" is used',
  ],
  [
    'generic_start_position = "befor"',
    'f: generic_start_position: expected "before", "after" or "default"; did you mean "before"?, got "befor"; "after" is used',
  ],
  [
    'override_instance_name = "../x"',
    'f: override_instance_name: expected lower-case letters, digits and inner dashes, at most 50, got "../x"; "default" is used',
  ],
  ['wrap_line = true', 'f: wrap_line: no such key; did you mean "wrap_lines"?'],
  ['wrap_lines = ', 'f:1:14: not valid TOML: invalid value; the defaults are used'],
])('%s is reported with file and key, and the default is used', (text, problem) => {
  const { settings, problems } = parseTuiConfig(text, 'f');
  expect(problems).toEqual([problem]);
  expect(settings).toEqual(DEFAULTS);
});

test('the file is made when it is absent, and never written again', () => {
  const root = home();
  const path = join(root, 'tui-config.toml');
  expect(loadTuiSettings(root)).toEqual({ settings: DEFAULTS, problems: [] });
  expect(readFileSync(path, 'utf8')).toBe(tuiConfigText());
  writeFileSync(path, '# mine\nwrap_lines = true\n');
  const before = statSync(path).mtimeMs;
  expect(loadTuiSettings(root).settings.wrapLines).toBe(true);
  expect([readFileSync(path, 'utf8'), statSync(path).mtimeMs]).toEqual(['# mine\nwrap_lines = true\n', before]);
});

test('reading alone makes no file', () => {
  const root = home();
  expect(readTuiSettings(root).settings).toEqual(DEFAULTS);
  expect(statSync(join(root, 'tui-config.toml'), { throwIfNoEntry: false })).toBeUndefined();
});

test('a path where no file can be made is reported, and the defaults are used', () => {
  const root = join(home(), 'file');
  writeFileSync(root, '');
  expect(loadTuiSettings(root)).toMatchObject({
    settings: DEFAULTS,
    problems: [expect.stringContaining('cannot be made')],
  });
});

test('the instance that is meant when none is named is the one of the file', () => {
  const root = home();
  expect(overrideInstance(root)).toBe('default');
  writeFileSync(join(root, 'tui-config.toml'), 'override_instance_name = "mine"');
  const notes: string[] = [];
  expect(overrideInstance(root, (problem) => notes.push(problem))).toBe('mine');
  writeFileSync(join(root, 'tui-config.toml'), 'override_instance_name = 5\nwrap_lines = 5');
  expect(overrideInstance(root, (problem) => notes.push(problem))).toBe('default');
  expect(notes).toEqual([expect.stringContaining('override_instance_name: expected a text, got 5')]);
});
