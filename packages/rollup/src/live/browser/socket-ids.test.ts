import { expect, test } from 'vitest';
import { SocketIds } from './socket-ids.ts';

const call = (id: number, method: string, part: unknown) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params: [part] });
const follow = (id: number, table: string) => call(id, 'live_follow', { id, table });
const parsed = (texts: readonly string[]) => texts.map((text) => JSON.parse(text));

test('parts of two tabs with the same ids are apart, and each tab gets its own', () => {
  const ids = new SocketIds();
  const [a, b] = parsed([ids.toNode('a', follow(1, 'x')), ids.toNode('b', follow(1, 'y'))]);
  expect([a.params, b.params]).toEqual([[{ id: a.id, table: 'x' }], [{ id: b.id, table: 'y' }]]);
  expect(a.id).not.toBe(b.id);
  const answer = JSON.stringify({ jsonrpc: '2.0', id: b.id, result: true });
  expect(ids.fromNode(answer, ['a', 'b'])).toEqual([['b', JSON.stringify({ jsonrpc: '2.0', id: 1, result: true })]]);
  const parts = [
    { id: b.id, rows: ['y'] },
    { id: a.id, rows: ['x'] },
  ];
  const notice = { jsonrpc: '2.0', method: 'live', params: { block: '7', parts } };
  const own = (row: string) => ({ ...notice, params: { block: '7', parts: [{ id: 1, rows: [row] }] } });
  const given = ids.fromNode(JSON.stringify(notice), ['a', 'b', 'c']);
  expect(given.map(([key, text]) => [key, JSON.parse(text)])).toEqual([
    ['a', own('x')],
    ['b', own('y')],
    ['c', { ...notice, params: { block: '7', parts: [] } }],
  ]);
});

test('a tab drops its own part only, and one that leaves all of its parts', () => {
  const ids = new SocketIds();
  const [a, b, c] = parsed(
    [follow(1, 'x'), follow(1, 'y'), follow(2, 'z')].map((text, at) => ids.toNode(at === 0 ? 'a' : 'b', text)),
  );
  expect(JSON.parse(ids.toNode('a', call(0, 'live_drop', 1)))).toMatchObject({ method: 'live_drop', params: [a.id] });
  expect(JSON.parse(ids.toNode('a', call(0, 'live_drop', 1)))).toMatchObject({ params: [0] });
  expect(parsed(ids.leave('b'))).toMatchObject([{ params: [b.id] }, { params: [c.id] }]);
  expect(ids.leave('b')).toEqual([]);
});

test('a part that the node refuses is forgotten, and other texts are refused', () => {
  const ids = new SocketIds();
  const { id } = JSON.parse(ids.toNode('a', follow(3, 'x')));
  const refused = ids.fromNode(JSON.stringify({ jsonrpc: '2.0', id, error: { code: 1, message: 'no' } }), ['a']);
  expect(refused.map(([key, text]) => [key, JSON.parse(text).id])).toEqual([['a', 3]]);
  expect(ids.leave('a')).toEqual([]);
  expect(() => ids.fromNode('no JSON', ['a'])).toThrow(SyntaxError);
});
