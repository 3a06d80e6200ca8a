import { expect, test } from 'vitest';
import { afterExit, describeExit, type Exit } from './restart.ts';

const crash: Exit = { code: 1, signal: undefined };

test('pauses grow, and after five tries in a row it is given up', () => {
  const decisions = [0, 1, 2, 3, 4, 5].map((failures) => afterExit(crash, { ms: 10, failures, endless: true }));
  expect(decisions.map((d) => (d.kind === 'again' ? d.afterMs : d.kind))).toEqual([
    250,
    500,
    1000,
    2000,
    4000,
    'give-up',
  ]);
});

test('damaged data is no reason to try again', () => {
  const exit = { code: 65, signal: undefined };
  const decision = { kind: 'give-up', reason: 'its data on disk is damaged' };
  expect(afterExit(exit, { ms: 90_000, failures: 0, endless: true })).toEqual(decision);
});

test('a service that ran long gets all its tries back', () => {
  expect(afterExit(crash, { ms: 60_000, failures: 5, endless: true })).toMatchObject({ kind: 'again', failures: 1 });
});

test('ours never end with 0 on their own; a program of the user may', () => {
  const exit = { code: 0, signal: undefined };
  expect(afterExit(exit, { ms: 10, failures: 0, endless: true }).kind).toBe('again');
  expect(afterExit(exit, { ms: 10, failures: 0, endless: false }).kind).toBe('finished');
});

test.each<[Exit, string]>([
  [crash, 'exit code 1'],
  [{ code: undefined, signal: 'SIGKILL' }, 'signal SIGKILL'],
  [{ code: undefined, signal: undefined, error: 'spawn x ENOENT' }, 'spawn x ENOENT'],
])('describes %j', (exit, text) => expect(describeExit(exit)).toBe(text));
