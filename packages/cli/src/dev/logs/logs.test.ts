import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scratchInstance } from '../testing.ts';
import { type LogQuery, parseSince, showLogs } from './logs.ts';
import type { LogLine } from './read.ts';

const at = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`;
const file = (lines: readonly [number, string][]) => lines.map(([second, text]) => `${at(second)} ${text}\n`).join('');

/** An instance that does not run, with logs of its rollup and of a service that the files do not name. */
function stopped() {
  const paths = scratchInstance();
  mkdirSync(paths.logs, { recursive: true });
  const path = (name: string) => join(paths.logs, name);
  writeFileSync(path('rollup.log.1'), file([[1, 'r1']]));
  writeFileSync(
    path('rollup.log'),
    file([
      [3, 'r3'],
      [5, 'r5'],
    ]),
  );
  writeFileSync(
    path('old.log'),
    file([
      [2, 'o2'],
      [4, 'o4'],
    ]),
  );
  const shown = async (query: Partial<LogQuery> = {}) => {
    const lines: string[] = [];
    await showLogs(paths, {}, { services: [], ...query }, ({ service, text }) => void lines.push(`${service} ${text}`));
    return lines;
  };
  return { paths, path, shown };
}

test('lines of all services come by their times, also from files that were set aside', async () => {
  expect(await stopped().shown()).toEqual(['rollup r1', 'old o2', 'rollup r3', 'old o4', 'rollup r5']);
});

test.each([
  [{ services: ['rollup'] }, ['rollup r1', 'rollup r3', 'rollup r5']],
  [{ since: new Date(at(3)) }, ['rollup r3', 'old o4', 'rollup r5']],
  [{ tail: 2 }, ['old o4', 'rollup r5']],
  [{ tail: 0 }, []],
  [{ services: ['rollup'], since: new Date(at(3)), tail: 1 }, ['rollup r5']],
  [{ services: ['sequencer'] }, []],
])('with %j only those', async (query, lines) => {
  expect(await stopped().shown(query)).toEqual(lines);
});

test('a line without a time stays behind the one before it', async () => {
  const { path, shown } = stopped();
  appendFileSync(path('old.log'), 'the rest of a long line\n');
  expect((await shown()).slice(-3)).toEqual(['old o4', 'old the rest of a long line', 'rollup r5']);
});

test('an unknown service is answered with the existing ones, also when the files are broken', async () => {
  const { paths, shown } = stopped();
  await expect(shown({ services: ['rolup'] })).rejects.toThrow(
    'no service rolup, there is old, rollup, switchyard, sequencer, composer, conductor, withdrawer, messenger-faucet, explorer; did you mean "rollup"?',
  );
  writeFileSync(paths.networks, '[broken');
  expect(await shown({ services: ['old'] })).toEqual(['old o2', 'old o4']);
});

test('following continues where the files ended, through a file set aside, without a line lost or twice', async () => {
  const { paths, path } = stopped();
  const stop = new AbortController();
  const got: string[] = [];
  const waiting = new Set<() => void>();
  const until = (text: string) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (got.includes(text)) resolve();
      };
      waiting.add(look);
      look();
    });
  const onLine = ({ text }: LogLine) => {
    got.push(text);
    for (const look of waiting) look();
  };
  const done = showLogs(paths, {}, { services: ['rollup'], tail: 1, follow: stop.signal }, onLine);
  await until('r5');
  appendFileSync(path('rollup.log'), file([[6, 'r6']]));
  await until('r6');
  appendFileSync(path('rollup.log'), file([[7, 'r7']]));
  renameSync(path('rollup.log'), path('rollup.log.1'));
  writeFileSync(path('rollup.log'), file([[8, 'r8']]));
  await until('r8');
  stop.abort();
  await done;
  expect(got).toEqual(['r5', 'r6', 'r7', 'r8']);
});

test('a time is a distance from now or a date', () => {
  const now = new Date('2026-01-02T00:00:00Z');
  expect(
    ['90s', '10m', '2h', '1d', '2026-01-01T12:00:00Z', '2026-01-01'].map((text) => parseSince(text, now).toISOString()),
  ).toEqual([
    '2026-01-01T23:58:30.000Z',
    '2026-01-01T23:50:00.000Z',
    '2026-01-01T22:00:00.000Z',
    '2026-01-01T00:00:00.000Z',
    '2026-01-01T12:00:00.000Z',
    '2026-01-01T00:00:00.000Z',
  ]);
  for (const text of ['10', 'yesterday', '2026-13-45', '-5m'])
    expect(() => parseSince(text, now)).toThrow('--since: expected 90s');
});
