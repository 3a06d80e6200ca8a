import { expect, test } from 'vitest';
import { createUi } from './testing.ts';
import { createTheme } from './theme.ts';

test('y copies the newest line while a log is followed, and the marked one while it is paused', () => {
  const theme = createTheme({ borderColor: 'gray', highlightColor: 'blue' }, 'all');
  const ui = createUi().lines('sequencer', 50).press('y');
  expect(ui.effects.at(-1)).toEqual({ kind: 'copy', text: 'line 49' });
  expect(ui.rows().at(-1)).toMatch(/^the line copied/);
  expect(ui.rows(theme).join('')).not.toContain('\u001b[7mline 49');
  ui.press('enter', 'up', 'up', 'y');
  expect(ui.effects.at(-1)).toEqual({ kind: 'copy', text: 'line 47' });
  expect(ui.rows(theme).join('')).toContain('\u001b[7mline 47');
  ui.press('0', 'y');
  expect(ui.effects.at(-1)).toEqual({ kind: 'copy', text: 'line 0' });
  ui.press('/', 'line 3', 'enter', 'y');
  expect(ui.effects.at(-1)).toEqual({ kind: 'copy', text: 'line 39' });
});

test('a line that is longer than terminals take is not copied, and the footer explains it', () => {
  const ui = createUi()
    .event({ kind: 'line', service: 'sequencer', text: 'x'.repeat(60_000) })
    .press('y');
  expect(ui.effects).toEqual([]);
  expect(ui.text()).toContain('the line not copied: 60000 bytes, a terminal takes at most 49152');
});

test('lines about health checks are hidden, counted, and shown by h', () => {
  const ui = createUi()
    .lines('sequencer', 3)
    .lines('sequencer', 5, (index) => `INFO GET /healthz 200 ${index}`)
    .press('enter');
  expect(ui.text()).not.toContain('/healthz');
  expect(ui.text()).toContain('5 checks hidden');
  expect(ui.text()).toContain('h checks off');
  ui.press('y');
  expect(ui.effects.at(-1)).toEqual({ kind: 'copy', text: 'line 2' });
  expect(ui.press('h').text()).toContain('GET /healthz 200 4');
  expect(ui.text()).not.toContain('checks hidden');
  expect(createUi().lines('sequencer', 3).press('enter').text()).not.toContain('h checks');
});

test('a count of hidden lines forgets those that the log has dropped', () => {
  const ui = createUi({ toml: 'max_ui_log_lines = 10' }).lines('sequencer', 8, () => 'GET /status 200');
  expect(ui.text()).toContain('8 checks hidden');
  expect(ui.lines('sequencer', 9).text()).toContain('1 check hidden');
});
