import { ApiRefused } from '@switchyard/client/http-api';
import { TransportFailure } from '@switchyard/service';
import { Failure } from '@switchyard/service/failure';
import { expect, test } from 'vitest';
import { describeError } from './describe-error.ts';

class RollupRefused extends ApiRefused {
  override readonly name = 'RollupRefused';
}

const STEP = 'start it';
const described = (error: unknown) => {
  const { line, code } = describeError(error, STEP);
  return [line, code];
};

test('whatever keeps a node from answering, the next step follows', () => {
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  const blocked = new TypeError('fetch failed', { cause: new Error('bad port') });
  const late = Object.assign(new Error('http://n/v1 took longer than 10000 ms'), { name: 'TimedOut' });
  expect(described(new TransportFailure('no answer from n', { cause: refused }))).toEqual([
    'no answer from n: nothing listens there: start it',
    'unreachable',
  ]);
  expect(described(new TransportFailure('no answer from n', { cause: blocked }))).toEqual([
    'no answer from n: bad port: start it',
    'unreachable',
  ]);
  expect(described(late)).toEqual(['http://n/v1 took longer than 10000 ms: start it', 'unreachable']);
  expect(
    described(new TransportFailure('the answer to abci_info is not JSON', { cause: new Error('at 1:1') })),
  ).toEqual(['the answer to abci_info is not JSON: start it', 'unreachable']);
});

test('an answer of another service is followed by the next step too, a refusal by the right one is not', () => {
  const rpc = (code: number, message: string) => Object.assign(new Error(message), { name: 'JsonRpcError', code });
  expect(described(new RollupRefused(404, 'http', '/recent: status 404'))).toEqual([
    'the rollup refused: /recent: status 404: start it',
    'refused',
  ]);
  expect(described(new RollupRefused(404, 'not-found', 'no route GET /recent'))[0]).toContain(': start it');
  expect(described(rpc(-32_601, 'Method not found'))[0]).toBe('the sequencer answers: Method not found: start it');
  expect(described(new RollupRefused(404, 'not-found', 'no message 7'))[0]).toBe('the rollup refused: no message 7');
  const other = new Failure('the EVM node answers: no route', rpc(-32_000, 'no route POST /'));
  expect(described(other)[0]).toBe('the EVM node answers: no route: start it');
  expect(described(rpc(-32_602, 'height: too high'))[0]).toBe('the sequencer answers: height: too high');
});

// Defect: Full stops within lines made of other messages
test('a full stop within a composed line goes, and an answer of another form is followed by the next step', () => {
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  expect(described(new TransportFailure('no answer from n.', { cause: refused }))).toEqual([
    'no answer from n: nothing listens there: start it',
    'unreachable',
  ]);
  const strange = Object.assign(new Error('/recent: expected a list, got 1.'), { name: 'InvalidData' });
  expect(described(strange)).toEqual(['/recent: expected a list, got 1: start it', 'failed']);
  expect(describeError(strange).line).toBe('/recent: expected a list, got 1.');
});
