import { expect, test } from 'vitest';
import { NO_FACTS, withHeights } from '../facts.ts';
import type { Model } from '../model.ts';
import { aboutLines } from './about.ts';

const key = '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90';
// Only these members are read.
const rows = (line: string, columns: number) =>
  aboutLines({ about: [line], size: { columns, rows: 40 } } as unknown as Model);

test('a command wraps between its arguments, and a shell takes its rows for one line', () => {
  const command = `  npx rollup-cli submit text "hello you" alice --home '/tmp/a home' --private-key ${key}`;
  for (let columns = 80; columns < 130; columns += 1) {
    const wrapped = rows(command, columns);
    expect(wrapped.every((row) => row.length <= columns)).toBe(true);
    expect(wrapped.join('\n').replaceAll(/ \\\n +/g, ' ')).toBe(command);
    for (const argument of [key, '"hello you"', "'/tmp/a home'"])
      expect(wrapped.some((row) => row.includes(argument))).toBe(true);
  }
});

test('other lines wrap as texts', () => {
  expect(rows('  alice  some address and more', 24).join('\n')).not.toContain('\\');
});

test('heights are those of now', () => {
  const overview = {
    ...{ instance: 'a', directory: '/a', network: 'local', pid: 1, services: [] },
    sequencer: { chainId: 'c', rpc: '', grpc: '', height: 1 },
    rollup: { name: 'messenger', height: 1 },
    evm: { name: 'evm', url: '', height: 1 },
  };
  const rollups = [
    { name: 'messenger', height: 950 },
    { name: 'evm', height: 951 },
  ];
  expect(withHeights(overview, { ...NO_FACTS, sequencerHeight: 952, rollups })).toMatchObject({
    sequencer: { height: 952 },
    rollup: { height: 950 },
    evm: { height: 951 },
  });
  expect(withHeights(overview, NO_FACTS)).toEqual(overview);
});
