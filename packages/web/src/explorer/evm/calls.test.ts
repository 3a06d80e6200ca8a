import { Input } from '@switchyard/client/http-api';
import { expect, test } from 'vitest';
import { type CallNode, callTree } from './calls.ts';

const shape = (nodes: readonly CallNode[]): unknown[] =>
  nodes.map(({ call, calls }) => [call.at('name').text(), ...shape(calls)]);
const calls = (...list: readonly (readonly [string, number])[]) =>
  list.map(([name, depth]) => new Input({ name, depth }, 'call'));

test('a list of calls with depths is a tree', () => {
  expect(shape(callTree(calls(['a', 0], ['b', 1], ['c', 2], ['d', 2], ['e', 1])))).toEqual([
    ['a', ['b', ['c'], ['d']], ['e']],
  ]);
});

test('a trace without calls is empty, and one that skips a depth is not lost', () => {
  expect(callTree([])).toEqual([]);
  expect(shape(callTree(calls(['a', 0], ['b', 5])))).toEqual([['a', ['b']]]);
});
