import { expect, test } from 'vitest';
import { type CallNode, callTree } from './calls.ts';

interface Named {
  readonly name: string;
  readonly depth: number;
}
const shape = (nodes: readonly CallNode<Named>[]): unknown[] =>
  nodes.map(({ call, calls }) => [call.name, ...shape(calls)]);
const calls = (...list: readonly (readonly [string, number])[]) =>
  list.map(([name, depth]): Named => ({ name, depth }));

test('a list of calls with depths is a tree', () => {
  expect(shape(callTree(calls(['a', 0], ['b', 1], ['c', 2], ['d', 2], ['e', 1])))).toEqual([
    ['a', ['b', ['c'], ['d']], ['e']],
  ]);
});

test('a trace without calls is empty, and one that skips a depth is not lost', () => {
  expect(callTree([])).toEqual([]);
  expect(shape(callTree(calls(['a', 0], ['b', 5])))).toEqual([['a', ['b']]]);
});
