import { expect, test } from 'vitest';
import { afterExit, describeExit, type Exit, type Ran } from './restart.ts';

const crash: Exit = { code: 1, signal: undefined };
const ran = (more: Partial<Ran> = {}): Ran => ({ ms: 10, failures: 0, endless: true, known: true, ...more });
const pauseAfter = (failures: number, random = 0.999_999) => {
  const next = afterExit(crash, ran({ failures }), () => random);
  return next.kind === 'again' ? next.afterMs : next.kind;
};

// Defect: Service given up after six crashes, which ended the network
test('it is started again without end, after pauses that grow up to half a minute', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 7, 1_000].map((failures) => pauseAfter(failures))).toEqual([
    500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000,
  ]);
});

test('half of a pause is by chance', () => {
  expect([pauseAfter(0, 0), pauseAfter(6, 0), pauseAfter(6, 0.5)]).toEqual([250, 15_000, 22_500]);
});

test('after a healthy run the pauses start over', () => {
  expect(afterExit(crash, ran({ ms: 60_000, failures: 50 }), () => 0)).toEqual({
    kind: 'again',
    afterMs: 250,
    failures: 1,
  });
});

test('what a person has to correct is not tried again', () => {
  expect(afterExit({ code: 78, signal: undefined }, ran(), () => 0)).toEqual({
    kind: 'give-up',
    reason: 'its configuration is wrong',
  });
  const absent = { code: undefined, signal: undefined, error: 'spawn x ENOENT' };
  expect(afterExit(absent, ran({ known: false }), () => 0).kind).toBe('give-up');
});

test('damaged data is not tried again either', () => {
  expect(afterExit({ code: 65, signal: undefined }, ran({ ms: 90_000 }), () => 0)).toEqual({
    kind: 'give-up',
    reason: 'its data on disk is damaged',
  });
});

test('a program that ran before and cannot be started now may be there again later', () => {
  const busy = { code: undefined, signal: undefined, error: 'spawn EAGAIN' };
  expect(afterExit(busy, ran({ failures: 7 }), () => 0)).toMatchObject({ kind: 'again', failures: 8 });
});

test('ours never end with 0 on their own; a program of the user may', () => {
  const exit = { code: 0, signal: undefined };
  expect(afterExit(exit, ran(), () => 0).kind).toBe('again');
  expect(afterExit(exit, ran({ endless: false }), () => 0).kind).toBe('finished');
});

test.each<[Exit, string]>([
  [crash, 'exit code 1'],
  [{ code: undefined, signal: 'SIGKILL' }, 'signal SIGKILL'],
  [{ code: undefined, signal: undefined, error: 'spawn x ENOENT' }, 'spawn x ENOENT'],
])('describes %j', (exit, text) => expect(describeExit(exit)).toBe(text));
