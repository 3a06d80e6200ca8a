import { createClient } from '@connectrpc/connect';
import { createMemoryStore } from '@switchyard/machine';
import { formatAddress, txHashOf } from '@switchyard/protocol';
import { execution2 } from '@switchyard/protocol/gen';
import { createMetrics, grpcTransport, loadConfig, silentLogger } from '@switchyard/service';
import { askAs } from '@switchyard/service/testing';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { FakeComposer } from '../testing/fake-composer.ts';
import { signers, signSpend, tallyRollup } from '../testing/tally.ts';
import { rollupFields } from './config.ts';
import { runRollup } from './run.ts';

const ALICE = formatAddress(signers[0].account);
const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function running(composer = new FakeComposer(), env: Record<string, string> = {}) {
  const stopping = new AbortController();
  const work: Promise<unknown>[] = [];
  closers.push(() => Promise.all(work).then(() => undefined));
  closers.push(() => stopping.abort(new Error('over')));
  const config = loadConfig(rollupFields, { REST_ADDR: '127.0.0.1:0', EXECUTION_GRPC_ADDR: '127.0.0.1:0', ...env });
  return runRollup(
    tallyRollup(),
    config,
    { store: createMemoryStore(), collector: composer },
    {
      log: silentLogger,
      metrics: createMetrics('test_'),
      signal: stopping.signal,
      defer: (close) => void closers.push(close),
      background: (each) => void work.push(each),
    },
  );
}

test('both listeners answer though neither composer nor conductor is there', async () => {
  const composer = new FakeComposer();
  composer.mode = 'down';
  const { httpUrl, executionUrl } = await running(composer);
  expect((await fetch(`${httpUrl}/v1/status`)).status).toBe(200);
  expect((await fetch(`${httpUrl}/readyz`)).status).toBe(503);
  const transport = grpcTransport(executionUrl);
  closers.push(() => transport.close());
  const { sessionId } = await createClient(execution2.ExecutionService, transport).createExecutionSession({});
  expect(sessionId).not.toBe('');
});

test('pages of any origin may call over a real connection too', async () => {
  const { httpUrl } = await running();
  for (const path of ['/v1/status', '/nowhere']) {
    expect((await fetch(httpUrl + path)).headers.get('access-control-allow-origin')).toBe('*');
  }
  const preflight = await fetch(`${httpUrl}/v1/transactions`, { method: 'OPTIONS' });
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
});

test('pages of listed origins only, where they are listed', async () => {
  const { httpUrl } = await running(new FakeComposer(), { CORS_ORIGIN: 'https://chat.example' });
  const submit = (origin: string) =>
    askAs(`${httpUrl}/v1/transactions`, { method: 'POST', headers: { origin }, body: 'x' });
  const [listed, other] = [await submit('https://chat.example'), await submit('https://evil.example')];
  expect([listed.status === 403, listed.headers['access-control-allow-origin']]).toEqual([
    false,
    'https://chat.example',
  ]);
  expect([other.status, other.headers['access-control-allow-origin']]).toEqual([403, undefined]);
  const read = await askAs(`${httpUrl}/v1/status`, { headers: { origin: 'https://evil.example' } });
  expect([read.status, read.headers['access-control-allow-origin']]).toEqual([200, undefined]);
});

test('no page whose own name points here reaches either listener', async () => {
  const { httpUrl, executionUrl } = await running();
  const headers = { host: 'evil.example', origin: 'http://evil.example', 'content-type': 'text/plain' };
  const create = `${executionUrl}/astria.execution.v2.ExecutionService/CreateExecutionSession`;
  for (const url of [`${httpUrl}/submit_transaction`, create]) {
    const answer = await askAs(url, { method: 'POST', headers, body: '{}' });
    expect([answer.status, answer.body]).toEqual([403, expect.stringContaining('listed in ALLOWED_HOSTS')]);
  }
});

test.each([
  ['a preflight', 'OPTIONS', 'application/json', ''],
  ['JSON of Connect', 'POST', 'application/json', '{}'],
  ['binary Connect', 'POST', 'application/proto', ''],
  ['gRPC-web', 'POST', 'application/grpc-web+proto', '\0\0\0\0\0'],
  ['a simple request', 'POST', 'text/plain', '{}'],
])('a page of another origin cannot drive the rollup with %s', async (_, method, type, body) => {
  const { executionUrl } = await running();
  const url = `${executionUrl}/astria.execution.v2.ExecutionService/CreateExecutionSession`;
  const origin = 'http://127.0.0.1:5173';
  const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' };
  const answer = await askAs(url, { method, headers: { origin, 'content-type': type, ...preflight }, body });
  expect(answer.status).toBe(403);
  expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
});

test('takes a transaction over a real connection', async () => {
  const composer = new FakeComposer();
  const { httpUrl } = await running(composer);
  const bytes = signSpend({ nonce: 0 });
  const submit = () => fetch(`${httpUrl}/v1/transactions`, { method: 'POST', body: Uint8Array.from(bytes) });
  let answer = await submit();
  // The composer is looked for in the background; until it is found the answer is 503.
  for (let attempt = 0; attempt < 200 && answer.status === 503; attempt += 1) answer = await submit();
  expect([answer.status, await answer.json()]).toEqual([202, { hash: txHashOf(bytes) }]);
  expect(composer.queued).toEqual([bytes]);
});

test('a WebSocket at /v1/live is sent rows, and closed when the node stops', async () => {
  const { httpUrl } = await running();
  const socket = new WebSocket(`${httpUrl.replace('http', 'ws')}/v1/live`);
  closers.push(() => socket.terminate());
  const messages: unknown[] = [];
  const got = new Promise<void>((resolve) =>
    socket.on('message', (data: Buffer) => {
      messages.push(JSON.parse(data.toString()));
      if (messages.length === 2) resolve();
    }),
  );
  await new Promise((resolve) => socket.once('open', resolve));
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'live_follow', params: [{ id: 1, receipts: ALICE }] }));
  await got;
  expect(messages).toEqual([
    { jsonrpc: '2.0', id: 1, result: true },
    {
      jsonrpc: '2.0',
      method: 'live',
      params: expect.objectContaining({ block: '0', firm: '0', parts: [{ id: 1, receipts: [], isWhole: true }] }),
    },
  ]);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await closers[1]?.();
  expect(await closed).toBe(1_001);
});

test('a body that is too long is refused while it comes', async () => {
  const { httpUrl } = await running();
  const body = new Uint8Array(5 * 1_048_576);
  const answer = await fetch(`${httpUrl}/v1/transactions:batch`, { method: 'POST', body }).catch(() => undefined);
  expect(answer?.status ?? 413).toBe(413);
});

test('a port in use is reported with its setting', async () => {
  const { httpUrl } = await running();
  const taken = httpUrl.replace('http://', '');
  await expect(running(new FakeComposer(), { REST_ADDR: taken })).rejects.toThrow(/REST_ADDR.*already in use/);
  await expect(running(new FakeComposer(), { EXECUTION_GRPC_ADDR: taken })).rejects.toThrow(/EXECUTION_GRPC_ADDR/);
});

test('the addresses may be written as URLs, and all mistakes are named at once', () => {
  const config = loadConfig(rollupFields, { METRICS_HTTP_LISTENER_ADDR: 'http://127.0.0.1:50053/' });
  expect(config.metricsHttpListenerAddr).toEqual({ host: '127.0.0.1', port: 50_053 });
  const wrong = { COMPOSER_ADDR: '127.0.0.1:1', REST_ADDR: 'x', NO_METRICS: 'perhaps', MAX_CONNECTIONS: '0' };
  expect(() => loadConfig(rollupFields, wrong)).toThrow(
    /COMPOSER_ADDR(.|\n)*REST_ADDR(.|\n)*MAX_CONNECTIONS(.|\n)*NO_METRICS/,
  );
});
