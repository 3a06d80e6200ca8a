import { expect, test } from 'vitest';
import { Terminal } from './terminal.ts';

function screen(size: { columns?: number; rows?: number } = { columns: 10, rows: 3 }) {
  let written = '';
  const output = { ...size, writableLength: 0, write: (text: string) => (written += text) };
  const taken = () => {
    const text = written.replaceAll('\u001b', '^').replaceAll('^[0m', '');
    written = '';
    return text;
  };
  return { terminal: new Terminal(output), output, taken };
}

test('it goes to a screen of its own and gives the terminal back once', () => {
  const { terminal, taken } = screen();
  terminal.close();
  terminal.draw(['lost']);
  expect(taken()).toBe('');
  terminal.open();
  terminal.open();
  expect(taken()).toBe('^[?1049h^[?25l^[?7l^[2J');
  terminal.close();
  terminal.close();
  expect(taken()).toBe('^[?7h^[?25h^[?1049l');
});

test('only rows that changed are sent, all of them together', () => {
  const { terminal, taken } = screen();
  terminal.open();
  taken();
  terminal.draw(['a', 'b', 'c']);
  expect(taken()).toBe('^[?2026h^[1;1H^[2Ka^[2;1H^[2Kb^[3;1H^[2Kc^[?2026l');
  terminal.draw(['a', 'B', 'c']);
  expect(taken()).toBe('^[?2026h^[2;1H^[2KB^[?2026l');
  terminal.draw(['a', 'B', 'c']);
  expect(taken()).toBe('');
  terminal.draw(['a']);
  expect(taken()).toBe('^[?2026h^[2;1H^[J^[?2026l');
});

test('after a change of size everything is drawn anew', () => {
  const { terminal, taken } = screen();
  terminal.open();
  terminal.draw(['a']);
  taken();
  terminal.forget();
  terminal.draw(['a']);
  expect(taken()).toBe('^[2J^[?2026h^[1;1H^[2Ka^[?2026l');
});

test('a terminal that does not say how big it is counts as a small one, a slow one as busy', () => {
  const { terminal, output } = screen({});
  expect(terminal.size).toEqual({ columns: 80, rows: 24 });
  expect(terminal.isBusy).toBe(false);
  output.writableLength = 1_000_000;
  expect(terminal.isBusy).toBe(true);
});

test('a text goes to the clipboard of the terminal, in letters that cannot end the sequence', () => {
  const { terminal, taken } = screen();
  terminal.copy('lost');
  terminal.open();
  taken();
  terminal.copy('日本\u0007');
  expect(taken()).toBe(`^]52;c;${Buffer.from('日本\u0007').toString('base64')}\u0007`);
});

test('rows are written in the letters that the terminal has', () => {
  let written = '';
  const output = { columns: 9, rows: 1, writableLength: 0, write: (text: string) => (written += text) };
  const terminal = new Terminal(output, (row) => row.replaceAll('╭', '+'));
  terminal.open();
  terminal.draw(['╭']);
  expect(written).toContain('\u001b[2K+');
});
