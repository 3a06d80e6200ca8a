import { expect, test } from 'vitest';
import { createProblems } from './problems.ts';

const service = (name: string, state: string, reason?: string) => ({ name, state, reason, version: '', listens: [] });
const find = (...services: ReturnType<typeof service>[]) => createProblems('npx switchyard dev', '')({ services }, 5);

test('a network that works has no problems', () => {
  expect(find(service('sequencer', 'ready'), service('genesis', 'finished'))).toEqual([]);
});

test('a problem keeps the time at which it was first seen, until it is over', () => {
  const problems = createProblems('npx switchyard dev', ' --instance two');
  const stopped = { what: 'composer is stopped', command: 'npx switchyard dev start composer --instance two' };
  expect(problems({ services: [service('composer', 'stopped')] }, 5)).toEqual([{ ...stopped, since: 5 }]);
  expect(problems({ services: [service('composer', 'stopped')], halt: 'no quorum' }, 7)).toEqual([
    {
      ...{ what: 'the sequencer makes no blocks', why: 'no quorum', since: 7 },
      command: 'npx switchyard dev doctor --instance two',
    },
    { ...stopped, since: 5 },
  ]);
  expect(problems({ services: [service('composer', 'ready')] }, 8)).toEqual([]);
  expect(problems({ services: [service('composer', 'stopped')] }, 9)).toEqual([{ ...stopped, since: 9 }]);
});

// Defect: A service that could not reach another one was shown with `[unavailable] connect ECONNREFUSED`
test.each([
  [
    '[unavailable] cannot connect: connect ECONNREFUSED 127.0.0.1:8080',
    'cannot connect: nothing listens there (127.0.0.1:8080)',
  ],
  ['getaddrinfo ENOTFOUND node.example', 'no such host (node.example)'],
  ['waits for [::1]:8080', 'waits for [::1]:8080'],
  ['connect EUNKNOWN x', 'connect EUNKNOWN x'],
])('the reason %s is in plain words', (reason, why) => {
  expect(find(service('conductor', 'unhealthy', reason))).toMatchObject([
    { what: 'conductor is unhealthy', why, command: 'npx switchyard dev logs conductor' },
  ]);
});
