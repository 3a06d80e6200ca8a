import { httpUrls } from '@switchyard/service/settings';
import { memoryLogger } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { chooseEndpoint, type EndpointState, Endpoints, pairUrls } from './endpoints.ts';

const at = (height: bigint | undefined, state: Partial<EndpointState> = {}): EndpointState => ({
  height,
  awayUntil: 0,
  badUntil: 0,
  ...state,
});

test.each<[string, readonly EndpointState[], number, number]>([
  ['the one in use, where nothing is known', [at(undefined), at(undefined)], 1, 1],
  ['the one in use, a little behind', [at(10n), at(8n)], 1, 1],
  ['the furthest, where the one in use is too far behind', [at(9n), at(5n), at(10n)], 1, 2],
  ['the next, where the one in use is away', [at(7n, { awayUntil: 101 }), at(undefined)], 0, 1],
  ['not one with invalid data, whatever height it claims', [at(7n), at(1_000n, { badUntil: 101 })], 0, 0],
  ['the one that is free soonest, where none is', [at(1n, { awayUntil: 300 }), at(1n, { badUntil: 200 })], 0, 1],
  ['one whose time away is over', [at(5n, { awayUntil: 101 }), at(4n, { awayUntil: 100 })], 0, 1],
])('chosen is %s', (_, states, current, expected) => {
  expect(chooseEndpoint(states, current, { maxLag: 2n, now: 100 })).toBe(expected);
});

function endpoints() {
  const { log, lines } = memoryLogger();
  let now = 0;
  const clock = { now: () => now, after: () => () => undefined };
  const all = ['one', 'two'].map((url) => ({ url, client: url }));
  const group = new Endpoints(all, { maxLag: 3n, badForMs: 60_000, clock, log });
  const [one = group.current, two = group.current] = all;
  const pass = (ms: number): void => {
    now += ms;
  };
  return { group, one, two, lines, pass };
}

test('another takes over where one fails, and keeps the place when that is back', () => {
  const { group, one, two, lines } = endpoints();
  const { term } = group;
  group.reportFailure(one, 'connection refused');
  expect([group.current, term.aborted, group.term.aborted]).toEqual([two, true, false]);
  expect(lines).toMatchObject([{ left: 'one', url: 'two', reason: 'connection refused' }]);
  group.reportHeight(one, 5n);
  group.reportHeight(two, 4n);
  expect([group.current, group.highest]).toEqual([two, 5n]);
});

test('one that is behind is left, and the lead of one that lies counts no more', () => {
  const { group, one, two, lines, pass } = endpoints();
  group.reportHeight(one, 10n);
  group.reportHeight(two, 100n);
  expect([group.current, group.highest]).toEqual([two, 100n]);
  expect(lines).toMatchObject([{ reason: 'another is 90 blocks ahead' }]);
  group.reportFault(two, 'a forged block');
  expect([group.current, group.highest]).toEqual([one, 10n]);
  expect(group.status()).toEqual([
    { url: 'one', inUse: true, state: 'answers', height: 10n },
    { url: 'two', inUse: false, state: 'bad', height: undefined },
  ]);
  // Later it may be tried again, if there is no other.
  pass(60_000);
  group.reportFailure(one, 'away');
  expect(group.current).toBe(two);
});

test('one that answers without a proved height changes nothing but that', () => {
  const { group, one, two } = endpoints();
  group.reportHeight(one, 10n);
  group.reportHeight(two);
  expect([group.current, group.highest]).toEqual([one, 10n]);
  expect(group.status()).toMatchObject([{ state: 'answers' }, { state: 'answers', height: undefined }]);
});

test('while none answers, each is tried in turn, without a warning', () => {
  const { group, one, two, lines, pass } = endpoints();
  group.reportFailure(one, 'away');
  group.reportFailure(two, 'away');
  expect([group.current, group.isUsable]).toEqual([one, false]);
  expect(lines.filter(({ level }) => level !== 'debug')).toHaveLength(1);
  pass(15_000);
  expect(group.isUsable).toBe(true);
});

test('a single one stays', () => {
  const { log, lines } = memoryLogger();
  const only = { url: 'one', client: 1 };
  const clock = { now: () => 0, after: () => () => undefined };
  const group = new Endpoints([only], { maxLag: 3n, badForMs: 60_000, clock, log });
  group.reportFailure(only, 'away');
  group.reportFault(only, 'a forged block');
  expect([group.current, lines]).toEqual([only, []]);
});

test('a setting holds one address or several, and nodes have two', () => {
  expect(httpUrls.fromText('http://a:1', {})).toEqual(['http://a:1']);
  expect(httpUrls.fromText('http://a:1/, https://b', {})).toEqual(['http://a:1', 'https://b']);
  expect([httpUrls.fromText('', {}), httpUrls.fromText('http://a,b', {})]).toEqual([undefined, undefined]);
  expect(pairUrls(['g1', 'g2'], ['r1', 'r2'], ['G', 'R'])).toEqual([
    { grpcUrl: 'g1', rpcUrl: 'r1' },
    { grpcUrl: 'g2', rpcUrl: 'r2' },
  ]);
  expect(() => pairUrls(['g1', 'g2'], ['r1'], ['G', 'R'])).toThrow('G names 2 sequencer nodes and R 1');
});
