import { httpApp } from '@switchyard/service';
import { expect, test } from 'vitest';
import { type TestFaucet, testFaucet } from '../testing/faucet.ts';
import { faucetRoutes } from './routes.ts';

function served(faucet: TestFaucet, { answerWithinMs = 1 } = {}) {
  const app = httpApp();
  faucetRoutes(app, faucet.claimService, {
    ...{ kind: 'evm', name: 'test', answerWithinMs },
    ...{ explorerUrl: undefined, walletRpcUrl: 'http://127.0.0.1:8545', hasDevelopmentKey: true },
  });
  const get = async (path: string) => {
    const answer = await app.request(path);
    return { status: answer.status, body: await answer.json() };
  };
  const post = async (body: string, headers: Record<string, string> = {}) => {
    const answer = await app.request('/api/claim', { method: 'POST', body, headers });
    return { status: answer.status, body: await answer.json(), again: answer.headers.get('retry-after') };
  };
  return { app, get, post, claim: (address: string, headers = {}) => post(JSON.stringify({ address }), headers) };
}

test('tells what clients of the reference ask, and more', async () => {
  const faucet = testFaucet();
  expect((await served(faucet).get('/api/info')).body).toEqual({
    account: 'faucet',
    network: 'test',
    payout: '10',
    kind: 'evm',
    walletRpcUrl: 'http://127.0.0.1:8545',
    developmentKey: true,
    symbol: 'COIN',
    chainId: 'model',
    balance: '1000000',
    minutes: 0,
    clientClaims: 5,
    waiting: 0,
    queueCap: 100,
    state: 'ready',
  });
});

test('tells of a node that is away, without a balance', async () => {
  const faucet = testFaucet();
  faucet.chain.isAway = true;
  const { body } = await served(faucet).get('/api/info');
  expect(body).toMatchObject({ state: 'absent', problem: 'the node does not answer' });
  expect(body).not.toHaveProperty('balance');
});

test('answers a claim that is sent at once with its transaction', async () => {
  const faucet = testFaucet();
  const answer = served(faucet, { answerWithinMs: 10_000 }).claim('alice');
  await new Promise((resolve) => setImmediate(resolve));
  await faucet.pass();
  expect(await answer).toMatchObject({
    status: 200,
    body: { msg: 'Txhash: 0 alice 10 1', id: 1, address: 'alice', amount: '10', state: 'sent', hash: '0 alice 10 1' },
  });
});

test('answers a claim that waits with its place, and later with its block', async () => {
  const faucet = testFaucet();
  const { claim, get } = served(faucet);
  await claim('bob');
  expect((await claim('alice')).body).toMatchObject({
    msg: 'Added alice to the queue',
    id: 2,
    state: 'queued',
    ahead: 1,
  });
  await faucet.pass();
  faucet.chain.mine();
  await faucet.pass();
  expect((await get('/api/claims/2')).body).toMatchObject({ state: 'paid', block: 1, hash: '1 alice 10 1' });
  const { body } = await get('/api/history?limit=1');
  expect(body).toMatchObject({ claims: [{ id: 2, address: 'alice', state: 'paid' }] });
  expect(JSON.stringify(body)).not.toContain('client');
});

test('answers a claim that cannot be paid with the reason', async () => {
  const faucet = testFaucet();
  faucet.chain.refusing.add('proxy');
  const answer = served(faucet, { answerWithinMs: 10_000 }).claim('proxy');
  await new Promise((resolve) => setImmediate(resolve));
  await faucet.pass();
  expect(await answer).toMatchObject({
    status: 422,
    body: { msg: 'its code refuses the payment', error: { code: 'failed' } },
  });
});

test.each([
  ['no body', '', 'body: expected JSON, got "", as in {"address": "..."}'],
  ['no JSON', '{', 'body: expected JSON, got "{", as in {"address": "..."}'],
  ['no object', '["alice"]', 'body: expected an object, got a list of 1, as in {"address": "..."}'],
  [
    'another field',
    '{"address":"alice","amount":"5"}',
    'body.amount: expected a known key: address, as in {"address": "..."}',
  ],
  ['no address', '{}', 'body.address: expected text, got nothing, as in {"address": "..."}'],
  ['a number', '{"address":5}', 'body.address: expected text, got 5, as in {"address": "..."}'],
  ['an empty address', '{"address":" "}', 'no address is given'],
  ['no address of the chain', '{"address":"ALICE!"}', 'expected letters, got ALICE!'],
  ['a long body', `{"address":"${'a'.repeat(2_000)}"}`, 'the body is longer than 1024 bytes'],
  ['the faucet itself', '{"address":"faucet"}', 'that is the account of the faucet itself'],
])('refuses %s', async (_, body, msg) => {
  const faucet = testFaucet();
  expect(await served(faucet).post(body)).toMatchObject({ status: 400, body: { msg, error: { code: 'malformed' } } });
  expect(faucet.claimService.waiting).toBe(0);
});

test('returns how long a limited address waits, in a header too', async () => {
  const faucet = testFaucet({ windowMs: 600_000 });
  const { claim } = served(faucet);
  await claim('alice');
  await faucet.pass();
  faucet.chain.mine();
  await faucet.pass();
  expect(await claim('alice')).toMatchObject({ status: 429, again: '590', body: { error: { code: 'limited' } } });
});

test('limits each client', async () => {
  const { app } = served(testFaucet({ windowMs: 600_000, clientClaims: 1 }));
  const claimFrom = async (remoteAddress: string, address: string) => {
    const incoming = { headers: {}, socket: { remoteAddress } };
    const body = JSON.stringify({ address });
    return (await app.request('/api/claim', { method: 'POST', body }, { incoming })).status;
  };
  expect(await claimFrom('10.0.0.1', 'alice')).toBe(200);
  expect(await claimFrom('10.0.0.1', 'bob')).toBe(429);
  expect(await claimFrom('10.0.0.2', 'bob')).toBe(200);
});

test.each(['/api/claims/0', '/api/claims/9', '/api/claims/x', '/api/claim', '/api'])(
  '%s is not there',
  async (path) => {
    expect((await served(testFaucet()).get(path)).status).toBe(404);
  },
);

test.each(['0', '101', '-1', 'x', '1e1'])('history refuses the limit %s', async (limit) => {
  expect((await served(testFaucet()).get(`/api/history?limit=${limit}`)).status).toBe(400);
});
