import { expect, test } from 'vitest';
import { JsonRpcError } from './error.ts';
import { resultIn } from './response.ts';

test.each([
  [{ result: 5 }, 5],
  [{ result: null, error: null }, null],
  [{ id: 1, jsonrpc: '2.0', result: { a: 1 } }, { a: 1 }],
])('the result of %j', (response, expected) => {
  expect(resultIn(response, 'm')).toEqual(expected);
});

test.each([
  [{ error: { code: -32_000, message: 'no', data: '0x1' } }, -32_000, 'no', '0x1'],
  [{ error: { message: 'no' }, result: 1 }, -7, 'no', undefined],
  [{ error: 'broken' }, -7, 'broken', undefined],
  [{ error: {} }, -7, 'unknown error', undefined],
  [{ error: { code: '1', message: 'x'.repeat(100_000) } }, -7, 'x'.repeat(4_096), undefined],
])('the error of response %#', (response, code, rpcMessage, data) => {
  const read = () => resultIn(response, 'm', -7);
  expect(read).toThrow(JsonRpcError);
  expect(read).toThrow(expect.objectContaining({ code, rpcMessage, data }));
});

test.each([
  [7, 'the answer to m is no JSON-RPC response'],
  [[], 'the answer to m is no JSON-RPC response'],
  [null, 'the answer to m is no JSON-RPC response'],
  [{ id: 1 }, 'the answer to m has neither result nor error'],
])('%j is no response', (response, message) => {
  expect(() => resultIn(response, 'm')).toThrow(expect.objectContaining({ message }));
});
