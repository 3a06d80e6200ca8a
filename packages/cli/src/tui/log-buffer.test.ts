import { expect, test } from 'vitest';
import { LogBuffer, type LogLine } from './log-buffer.ts';

const line = (text: string): LogLine => ({ service: 'a', text, at: 0, kind: 'output' });
const all = (buffer: LogBuffer) => {
  const texts: (string | undefined)[] = [];
  for (let number = buffer.first; number < buffer.end; number += 1) texts.push(buffer.at(number)?.text);
  return texts;
};

test('keeps the newest lines under their own numbers', () => {
  const buffer = new LogBuffer(3);
  for (let number = 0; number < 10_000; number += 1) buffer.push(line(String(number)));
  expect([buffer.first, buffer.end, all(buffer)]).toEqual([9_997, 10_000, ['9997', '9998', '9999']]);
  expect([buffer.at(9_996), buffer.at(10_000), buffer.at(9_998)?.text]).toEqual([undefined, undefined, '9998']);
});

test('long lines are kept in smaller number, also where lines are not counted', () => {
  const buffer = new LogBuffer(0, 100);
  for (let number = 0; number < 20; number += 1) buffer.push(line('x'.repeat(30)));
  expect([buffer.first, buffer.end]).toEqual([17, 20]);
  buffer.push(line('y'.repeat(200)));
  expect(all(buffer)).toEqual([]);
  buffer.push(line('z'));
  expect(all(buffer)).toEqual(['z']);
});
