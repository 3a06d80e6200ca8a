import { expect, test } from 'vitest';
import { createPrinter } from './printing.ts';

function printer({ colour = false, waiting = 0 } = {}) {
  const sink = {
    text: '',
    waiting,
    write(text: string) {
      this.text += text;
    },
  };
  return { sink, printer: createPrinter(sink, ['sequencer', 'rollup'], { colour }) };
}

test('every line begins with the name of its service', () => {
  const { sink, printer: p } = printer();
  p.event({ kind: 'line', service: 'rollup', text: 'hi\tthere' });
  p.event({ kind: 'exited', service: 'rollup', exit: { code: 1, signal: undefined }, lastLines: ['a', 'b'] });
  p.event({ kind: 'restarting', service: 'rollup', afterMs: 250, failures: 3 });
  expect(sink.text).toBe(
    [
      'rollup     | hi  there',
      'switchyard | rollup ended: exit code 1; last lines:',
      'switchyard |   a',
      'switchyard |   b',
      'switchyard | rollup restarts in 250 ms, after 3 failures in a row',
      '',
    ].join('\n'),
  );
});

test('colours of a service stay, other control sequences do not', () => {
  const { sink, printer: p } = printer();
  p.event({ kind: 'line', service: 'rollup', text: '\u001b[32mgreen\u001b[0m \u001b[2J\u0007' });
  expect(sink.text).toBe('rollup     | \u001b[32mgreen\u001b[0m \\u{1b}[2J\\u{7}\n');
});

test('a reader that is too slow misses lines, and their number is printed', () => {
  const { sink, printer: p } = printer({ waiting: 5_000_000 });
  for (const text of ['1', '2', '3']) p.event({ kind: 'line', service: 'rollup', text });
  expect(sink.text).toBe('');
  sink.waiting = 0;
  p.event({ kind: 'line', service: 'rollup', text: '4' });
  expect(sink.text).toBe(
    'switchyard | 3 lines were not shown: the terminal is slower than the services; they are in the log files\nrollup     | 4\n',
  );
});
