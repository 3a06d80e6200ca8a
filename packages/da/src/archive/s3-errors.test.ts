import { TimedOut } from '@switchyard/service';
import { expect, test } from 'vitest';
import { DaUnavailable } from '../layer.ts';
import { findProblem } from './s3-errors.ts';

const at = { place: 's3://bucket/a', bucket: 'bucket', endpoint: undefined };

/** An error as the client makes it of an answer, or without a status, of a failure before there was one. */
const error = (name: string, status?: number, more: object = {}) =>
  Object.assign(
    new Error('a message'),
    { name, ...more },
    status !== undefined && { $metadata: { httpStatusCode: status } },
  );

test.each([
  [error('SlowDown', 503), 'Amazon S3 answered 503 SlowDown, to list segments'],
  [error('InternalError', 500), 'Amazon S3 answered 500 InternalError'],
  [error('ConditionalRequestConflict', 409), 'answered 409 ConditionalRequestConflict'],
  [error('TooManyRequests', 429), 'answered 429'],
  [error('Error', undefined, { code: 'ECONNREFUSED' }), 'Amazon S3 cannot be reached, to list segments'],
  [error('TimeoutError'), 'cannot be reached'],
  [new TimedOut('list segments', 60_000), 'cannot be reached'],
])('%s may pass', (cause, line) => {
  const problem = findProblem(cause, 'list segments', at);
  expect(problem).toBeInstanceOf(DaUnavailable);
  expect(problem.message).toMatch(/^s3:\/\/bucket\/a: /);
  expect(problem.message).toContain(line);
});

test.each([
  [error('NoSuchBucket', 404), 'there is no bucket bucket at Amazon S3'],
  [error('AccessDenied', 403), 'access denied, to list segments (AccessDenied): the credentials need s3:ListBucket'],
  [error('ExpiredToken', 400), 'Amazon S3 does not accept the credentials (ExpiredToken)'],
  [error('CredentialsProviderError'), 'no credentials for Amazon S3: set AWS_ACCESS_KEY_ID'],
  [error('PermanentRedirect', 301), 'the region is not that of the bucket'],
  [error('InvalidRequest', 400), 'Amazon S3 answered 400 InvalidRequest, to list segments: a message'],
  [error('SyntaxError'), "what Amazon S3 answers is not S3's"],
])('%s is to be corrected', (cause, line) => {
  const problem = findProblem(cause, 'list segments', at);
  expect(problem).not.toBeInstanceOf(DaUnavailable);
  expect(problem.message).toContain(`s3://bucket/a: ${line}`);
});
