import { expect, test } from 'vitest';
import { isCheck } from './update.ts';

test.each([
  '127.0.0.1 - - [29/Nov/2026:02:02:31 +0000] "GET /v1/status HTTP/1.1" 200 310',
  '02:02:31.136 INFO  request method=GET path=/healthz status=200 ms=1',
  'D[2026-11-29|02:02:31.979] served RPC HTTP response module=rpc-server method=GET url=/status status=200',
  '{"level":"info","method":"GET","path":"/metrics","status":200}',
  'GET /v1/recent?limit=64 200 3ms',
  'GET http://127.0.0.1:3030/readyz',
  'INFO finished call grpc.service=grpc.health.v1.Health grpc.code=OK',
])('%j is about a check', (line) => expect(isCheck(line)).toBe(true));

test.each([
  '"GET /v1/status HTTP/1.1" 503 12',
  'INFO request method=GET path=/healthz status=500',
  'WARN slow request method=GET path=/status ms=2000',
  'ERROR GET /healthz failed',
  'GET /statuses/1 200',
  'GET /v1/texts 200',
  'POST /status 200',
  'INFO the status of the order is open',
  'INFO blocks executed soft=1 firm=0',
])('%j is not', (line) => expect(isCheck(line)).toBe(false));
