import { Code, ConnectError } from '@connectrpc/connect';
import { TransportFailure } from '@switchyard/service';
import { expect, test } from 'vitest';
import { toFailure } from './collector-failure.ts';

const refusedConnection = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const lost = (cause?: Error) => new TransportFailure('the connection was lost', cause && { cause });
const made = (code: Code, cause: Error) => new ConnectError('made here', code, undefined, undefined, cause);

test.each<[string, unknown, string]>([
  ['a status by which the composer rejects the batch', new ConnectError('no', Code.InvalidArgument), 'refused'],
  ['the same status, made on this side', made(Code.InvalidArgument, lost()), 'unclear'],
  ['a full composer', new ConnectError('full', Code.ResourceExhausted), 'full'],
  ['a secret that the composer does not take', new ConnectError('secret', Code.Unauthenticated), 'refused'],
  ['a connection that was never made', made(Code.Unavailable, lost(refusedConnection)), 'unreachable'],
  ['a connection that was lost', made(Code.Unavailable, lost(new Error('read ECONNRESET'))), 'unclear'],
  ['no answer in time', made(Code.DeadlineExceeded, lost()), 'unclear'],
])('%s', (_, error, expected) => {
  expect(toFailure(error)).toBe(expected);
});
