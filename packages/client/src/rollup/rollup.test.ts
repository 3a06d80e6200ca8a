import { TransportFailure } from '@switchyard/service';
import { expect, test } from 'vitest';
import { rollupClient } from './rollup.ts';

const HASH = 'ab'.repeat(32);

/** A client of a rollup that answers as the test does, and the requests it got. */
function rollup(answers: (path: string, body: Uint8Array) => { status?: number; json?: unknown; text?: string }) {
  const wanted: string[] = [];
  const client = rollupClient({
    url: 'http://rollup/',
    fetch: async (url, { method = 'GET', body }) => {
      const path = url.slice('http://rollup'.length);
      wanted.push(`${method} ${path}`);
      const {
        status = 200,
        json,
        text = JSON.stringify(json),
      } = answers(path, body instanceof Uint8Array ? body : new Uint8Array(0));
      return new Response(text, { status });
    },
  });
  return { client, asked: wanted };
}

test('asks for the nonce, committed or with what is pending', async () => {
  const { client, asked: wanted } = rollup(() => ({ json: '7' }));
  expect([await client.nonce('astria1x'), await client.nonce('astria1x', { committed: true })]).toEqual([7, 7]);
  expect(wanted).toEqual(['GET /get_account_nonce/astria1x', 'GET /get_account_nonce/astria1x?state=committed']);
});

test('reads the status', async () => {
  const { client } = rollup(() => ({
    json: { rollup: 'chat', chainId: 'chat', soft: { number: 5 }, firm: { number: '4' }, more: 1 },
  }));
  expect(await client.status()).toMatchObject({
    rollup: 'chat',
    chainId: 'chat',
    soft: 5n,
    firm: 4n,
    all: { more: 1 },
  });
});

test('submits one transaction', async () => {
  const { client, asked: wanted } = rollup((_, body) => ({ status: 202, json: { hash: HASH, length: body.length } }));
  expect(await client.submit(Uint8Array.of(1, 2))).toEqual({ hash: HASH });
  expect(wanted).toEqual(['POST /v1/transactions']);
});

test('submits a batch as lengths and bytes', async () => {
  let sent = new Uint8Array(0);
  const { client } = rollup((_, body) => {
    sent = Uint8Array.from(body);
    return { json: { accepted: 1, refused: [{ index: 1, code: 'empty', reason: 'empty: field transaction' }] } };
  });
  const result = await client.submitBatch([Uint8Array.of(7, 8), Uint8Array.of()]);
  expect([...sent]).toEqual([0, 0, 0, 2, 7, 8, 0, 0, 0, 0]);
  expect(result).toEqual({ accepted: 1, refused: [{ index: 1, code: 'empty', reason: 'empty: field transaction' }] });
});

test('a refusal keeps code, message and facts', async () => {
  const error = { code: 'nonce-too-low', message: 'nonce too low: expected 5, got 4', facts: { expected: 5 } };
  const { client } = rollup(() => ({ status: 409, json: { error } }));
  await expect(client.submit(Uint8Array.of(1))).rejects.toMatchObject({ name: 'RollupRefused', status: 409, ...error });
});

test.each([
  ['an error page', { status: 502, text: '<html>' }, '/v1/status: status 502'],
  ['no JSON', { text: '<html>' }, '/v1/status: expected JSON, got "<html>"'],
  ['another shape', { json: [] }, '/v1/status: expected an object, got an empty list'],
])('refuses %s', async (_, answer, message) => {
  await expect(rollup(() => answer).client.status()).rejects.toThrow(message);
});

test('names the rollup that does not answer', async () => {
  const client = rollupClient({ url: 'http://rollup', fetch: () => Promise.reject(new TypeError('fetch failed')) });
  await expect(client.status()).rejects.toThrow('no answer from the rollup at http://rollup');
});

test('returns the outcome of a transaction, or undefined for an unknown one', async () => {
  const json = { hash: HASH, state: 'refused', block: 5, index: 0, code: 3, reason: 'nonce too low' };
  expect(await rollup(() => ({ json })).client.transaction(HASH)).toEqual({ ...json, block: 5n });
  const unknown = { error: { code: 'not-found', message: 'no transaction', facts: {} } };
  expect(await rollup(() => ({ status: 404, json: unknown })).client.transaction(HASH)).toBeUndefined();
});

test.each([
  ['executed', ['queued', 'sequenced', 'executed'], 'executed', 3],
  ['executed', ['firm'], 'firm', 1],
  ['firm', ['executed', 'refused'], 'refused', 2],
  ['firm', ['executed', 'firm'], 'firm', 2],
] as const)('waits until %s through %j', async (until, states, state, calls) => {
  let call = 0;
  const { client, asked: wanted } = rollup(() => ({
    json: { hash: HASH, state: states[Math.min(call++, states.length - 1)] },
  }));
  expect(await client.waitForTransaction(HASH, { until })).toEqual({ hash: HASH, state });
  expect(wanted).toHaveLength(calls);
});

test('returns the last known state when the time to wait is over', async () => {
  const { client } = rollup(() => ({ json: { hash: HASH, state: 'queued' } }));
  expect(await client.waitForTransaction(HASH, { timeoutMs: 0 })).toEqual({ hash: HASH, state: 'queued' });
});

test('stops waiting when the signal aborts', async () => {
  const stop = new AbortController();
  const { client } = rollup(() => {
    stop.abort(new Error('enough'));
    return { json: { hash: HASH, state: 'queued' } };
  });
  await expect(client.waitForTransaction(HASH, { signal: stop.signal })).rejects.toThrow('enough');
});

test('keeps waiting for a transaction when a connection is lost, or a proxy answers for the rollup', async () => {
  const state = { hash: HASH, state: 'executed' };
  const answers = [
    () => Promise.reject(new Error('read ECONNRESET')),
    () => Promise.resolve(new Response('<html>bad gateway</html>', { status: 502 })),
    () => Promise.resolve(new Response(JSON.stringify(state))),
  ];
  let wanted = 0;
  const client = rollupClient({
    url: 'http://rollup',
    fetch: () => answers[wanted++]?.() ?? Promise.reject(new Error('asked too often')),
  });
  expect(await client.waitForTransaction(HASH)).toMatchObject({ state: 'executed' });
  expect(wanted).toBe(3);
});

test('a failed connection is distinguished from a refusal', async () => {
  const failing = rollupClient({ url: 'http://rollup', fetch: () => Promise.reject(new Error('read ECONNRESET')) });
  await expect(failing.status()).rejects.toBeInstanceOf(TransportFailure);
  await expect(failing.waitForTransaction(HASH, { timeoutMs: 0 })).rejects.toBeInstanceOf(TransportFailure);
  const { client } = rollup(() => ({ status: 503, text: '<html>' }));
  await expect(client.status()).rejects.toBeInstanceOf(TransportFailure);
});
