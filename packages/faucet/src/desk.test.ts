import { expect, test } from 'vitest';
import { testFaucet } from './testing/faucet.ts';

const HOME = '127.0.0.1';
const MINUTE = 60_000;

test('an address that waits already gets its claim again, and is paid once', async () => {
  const faucet = testFaucet();
  const first = await faucet.desk.accept('alice', HOME);
  const second = await faucet.desk.accept('alice', HOME);
  expect([second.id, faucet.desk.waiting]).toEqual([first.id, 1]);
});

test('an address that was paid waits for its time, also after a restart', async () => {
  const faucet = testFaucet({ windowMs: 10 * MINUTE });
  await faucet.desk.accept('alice', HOME);
  await faucet.pass();
  faucet.chain.mine();
  await faucet.pass();
  faucet.clock.ms += 4 * MINUTE;
  const { desk } = faucet.again();
  await expect(desk.accept('alice', HOME)).rejects.toMatchObject({
    status: 429,
    message: 'this address was paid a short time ago; try again in 6 minutes',
    facts: { againInSeconds: 350 },
  });
  faucet.clock.ms += 6 * MINUTE;
  expect((await desk.accept('alice', HOME)).id).toBe(2);
});

const HOUR = 60 * MINUTE;

async function paidOnce(faucet = testFaucet({ windowMs: 10 * MINUTE })) {
  await faucet.desk.accept('alice', HOME);
  await faucet.pass();
  faucet.chain.mine();
  await faucet.pass();
  return faucet;
}

test.each([
  ['back', -HOUR],
  ['forward', HOUR],
])('a wall clock that is set %s changes no wait while the faucet runs', async (_, step) => {
  const faucet = await paidOnce();
  faucet.clock.wallAhead += step;
  await expect(faucet.desk.accept('alice', HOME)).rejects.toMatchObject({ facts: { againInSeconds: 590 } });
  faucet.clock.ms += 10 * MINUTE;
  expect((await faucet.desk.accept('alice', HOME)).id).toBe(2);
});

test('after a restart with the wall clock set back nobody waits longer than one period', async () => {
  const before = await paidOnce();
  before.clock.wallAhead -= HOUR;
  const { desk, clock } = before.again();
  await expect(desk.accept('alice', HOME)).rejects.toMatchObject({ facts: { againInSeconds: 600 } });
  clock.ms += 10 * MINUTE;
  expect((await desk.accept('alice', HOME)).id).toBe(2);
});

test('a claim that was dated by a clock far ahead does not hide the age of those before it', async () => {
  const faucet = await paidOnce();
  faucet.clock.wallAhead += HOUR;
  await faucet.desk.accept('bob', HOME);
  faucet.clock.wallAhead -= HOUR;
  faucet.clock.ms += 11 * MINUTE;
  const { desk } = faucet.again();
  expect((await desk.accept('alice', HOME)).id).toBe(3);
});

test('a client makes no more claims than it may, for whatever addresses', async () => {
  const { desk } = testFaucet({ windowMs: 10 * MINUTE, clientClaims: 2 });
  await desk.accept('alice', HOME);
  await desk.accept('bob', HOME);
  await expect(desk.accept('carol', HOME)).rejects.toMatchObject({ status: 429 });
  expect((await desk.accept('carol', 'elsewhere')).id).toBe(3);
});

test('claims that arrive at one moment cannot pass the limits together', async () => {
  const { desk, ledger } = testFaucet({ queueCap: 1 });
  const results = await Promise.allSettled(['alice', 'alice', 'bob'].map((address) => desk.accept(address, HOME)));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  expect(ledger.unfinishedCount).toBe(1);
});

test('a full queue refuses', async () => {
  const { desk } = testFaucet({ queueCap: 1 });
  await desk.accept('alice', HOME);
  await expect(desk.accept('bob', HOME)).rejects.toMatchObject({ status: 503, code: 'queue-full' });
});

test('an empty faucet says what it holds and where to send more', async () => {
  const faucet = testFaucet();
  faucet.chain.balance = 10n;
  await faucet.pass();
  expect(faucet.desk.status()).toMatchObject({
    state: 'empty',
    problem: 'the faucet is empty: it holds 10 COIN and pays 10 COIN; send some to faucet',
  });
  await expect(faucet.desk.accept('alice', HOME)).rejects.toMatchObject({ status: 503, code: 'empty' });
});

test('what is promised to others is not promised again', async () => {
  const faucet = testFaucet();
  faucet.chain.balance = 15n;
  await faucet.pass();
  await faucet.desk.accept('alice', HOME);
  await expect(faucet.desk.accept('bob', HOME)).rejects.toThrow(
    'it holds 15 COIN, promised to claims that wait, and pays 10 COIN',
  );
});

test('while the node is away claims are taken, and paid when it is back', async () => {
  const faucet = testFaucet();
  faucet.chain.isAway = true;
  await expect(faucet.pass()).rejects.toThrow('ECONNREFUSED');
  const claim = await faucet.desk.accept('alice', HOME);
  expect(faucet.desk.status().state).toBe('absent');
  expect(faucet.desk.noteOf(claim)).toBe('the node does not answer');
  faucet.chain.isAway = false;
  await faucet.pass();
  faucet.chain.mine();
  await faucet.pass();
  expect(faucet.chain.paidTo('alice')).toEqual([10n]);
});

test('the faucet does not pay itself', async () => {
  await expect(testFaucet().desk.accept('faucet', HOME)).rejects.toMatchObject({ status: 400 });
});

test('whoever watches a claim sees it sent, or gives up as it is', async () => {
  const faucet = testFaucet();
  const claim = await faucet.desk.accept('alice', HOME);
  const watching = faucet.desk.watch(claim, new AbortController().signal);
  await faucet.pass();
  expect(faucet.desk.stateOf(await watching)).toBe('sent');
  const bob = await faucet.desk.accept('bob', HOME);
  expect(await faucet.desk.watch(bob, AbortSignal.abort())).toEqual(bob);
});

test('a claim knows how many are before it', async () => {
  const { desk } = testFaucet();
  const claims = [await desk.accept('a', HOME), await desk.accept('b', HOME), await desk.accept('c', HOME)];
  expect(claims.map((claim) => desk.ahead(claim))).toEqual([0, 1, 2]);
});
