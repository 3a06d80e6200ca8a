import { expect, test } from 'vitest';
import type { LogLine } from '../log-buffer.ts';
import { NOW } from '../testing.ts';
import { uncoloured } from '../text.ts';
import { createTheme, PLAIN } from '../theme.ts';
import { gist, type LineStyle, lineRows } from './log-lines.ts';
import { clockText } from './time-text.ts';

const COLOURED = createTheme({ borderColor: 'gray', highlightColor: 'blue' }, '16');
const line = (text: string, kind: LogLine['kind'] = 'output'): LogLine => ({ service: 'a', text, at: NOW, kind });
const rows = (text: string, style: Partial<LineStyle> = {}, kind?: LogLine['kind']) =>
  lineRows(line(text, kind), { width: 60, wrap: false, times: true, theme: PLAIN, search: '', ...style });

test('a line that prints no time gets that of its arrival, and only such a line', () => {
  expect(rows('tick 1')).toEqual([`${clockText(NOW)} tick 1`]);
  expect(rows('[switchyard] stopped', {}, 'life')).toEqual([`${clockText(NOW)} [switchyard] stopped`]);
  for (const text of [
    '08:04:02.462 INFO  starting',
    '2026-01-02T08:04:02Z up',
    'I[2026-01-02|08:04:02.123] Started node',
    '{"level":"info","time":"2026-01-02T08:04:02Z"}',
  ]) {
    expect(rows(text)).toEqual([text]);
  }
});

test('without times, a line begins with what it reports', () => {
  const without = (text: string) => rows(text, { times: false })[0];
  expect(without('08:04:02.462 INFO  starting')).toBe('INFO  starting');
  expect(without('2026-01-02T08:04:02.123+01:00 up')).toBe('up');
  expect(without('tick 1')).toBe('tick 1');
  expect(without('takes 00:00:10')).toBe('takes 00:00:10');
});

test('levels have colours, times and names of fields step back, and what has colours of its own keeps them', () => {
  const [row = ''] = rows('08:04:02.462 WARN  cannot submit reason="a=b" at=5', { theme: COLOURED });
  expect(row).toContain('\u001b[2m08:04:02.462 \u001b[0m\u001b[33mWARN\u001b[0m  cannot submit');
  expect(row).toContain('\u001b[2mat=\u001b[0m5');
  expect(uncoloured(row)).toBe('08:04:02.462 WARN  cannot submit reason="a=b" at=5');
  const own = '08:04:02.462 \u001b[32mINFO\u001b[0m x';
  expect(rows(own, { theme: COLOURED })[0]).toContain(own);
});

test('a match is marked whole, also where it spans what has different colours', () => {
  const [row = ''] = rows('08:04:02.462 INFO  block height=12', { theme: COLOURED, search: 'HEIGHT=12' });
  expect(row).toContain('\u001b[7mheight=12\u001b[27m');
});

test('in the merged log every row of a wrapped line has the name of its service', () => {
  const prefix = { width: 4, index: () => 0 };
  expect(rows('one two three', { width: 12, wrap: true, times: false, prefix })).toEqual([
    'a    │ one ',
    'a    │ two ',
    'a    │ three',
  ]);
});

test('the gist of a line has no time, and a level only where it alarms', () => {
  expect(gist(line('08:04:02.462 INFO  starting'), PLAIN)).toBe('starting');
  expect(gist(line('08:04:02.462 ERROR disk full\u001b[2J'), PLAIN)).toBe('ERROR disk full\\u{1b}[2J');
});
