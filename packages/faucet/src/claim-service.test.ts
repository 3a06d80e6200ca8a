import { expect, test } from 'vitest';
import { testFaucet } from './testing/faucet.ts';

const HOME = '127.0.0.1';
const MINUTE = 60_000;

test('an address that waits already gets its claim again, and is paid once', async () => {
  const faucet = testFaucet();
  const first = await faucet.claimService.accept('alice', HOME);
  const second = await faucet.claimService.accept('alice', HOME);
  expect([second.id, faucet.claimService.waiting]).toEqual([first.id, 1]);
});

test('an address whose claim is on its way to the disk gets it again only when it is there', async () => {
  const faucet = testFaucet();
  faucet.disk.onWrite = () => {
    throw new Error('no space left on device');
  };
  const both = ['alice', 'alice'].map((address) => faucet.claimService.accept(address, HOME));
  const outcomes = await Promise.allSettled(both);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('an address that was paid waits for its time, also after a restart', async () => {
  const faucet = testFaucet({ windowMs: 10 * MINUTE });
  await faucet.claimService.accept('alice', HOME);
  await faucet.pass();
  faucet.chain.mine();
  await faucet.pass();
  faucet.clock.ms += 4 * MINUTE;
  const { claimService } = faucet.again();
  await expect(claimService.accept('alice', HOME)).rejects.toMatchObject({
    status: 429,
    message: 'this address was paid a short time ago; try again in 6 minutes',
    facts: { againInSeconds: 350 },
  });
  faucet.clock.ms += 6 * MINUTE;
  expect((await claimService.accept('alice', HOME)).id).toBe(2);
});

const HOUR = 60 * MINUTE;

async function paidOnce(faucet = testFaucet({ windowMs: 10 * MINUTE })) {
  await faucet.claimService.accept('alice', HOME);
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
  await expect(faucet.claimService.accept('alice', HOME)).rejects.toMatchObject({ facts: { againInSeconds: 590 } });
  faucet.clock.ms += 10 * MINUTE;
  expect((await faucet.claimService.accept('alice', HOME)).id).toBe(2);
});

test('after a restart with the wall clock set back no one waits longer than one period', async () => {
  const before = await paidOnce();
  before.clock.wallAhead -= HOUR;
  const { claimService, clock } = before.again();
  await expect(claimService.accept('alice', HOME)).rejects.toMatchObject({ facts: { againInSeconds: 600 } });
  clock.ms += 10 * MINUTE;
  expect((await claimService.accept('alice', HOME)).id).toBe(2);
});

test('a claim that was dated by a clock far ahead does not hide the age of those before it', async () => {
  const faucet = await paidOnce();
  faucet.clock.wallAhead += HOUR;
  await faucet.claimService.accept('bob', HOME);
  faucet.clock.wallAhead -= HOUR;
  faucet.clock.ms += 11 * MINUTE;
  const { claimService } = faucet.again();
  expect((await claimService.accept('alice', HOME)).id).toBe(3);
});

test('a client makes no more claims than it may, for whatever addresses', async () => {
  const { claimService } = testFaucet({ windowMs: 10 * MINUTE, clientClaims: 2 });
  await claimService.accept('alice', HOME);
  await claimService.accept('bob', HOME);
  await expect(claimService.accept('carol', HOME)).rejects.toMatchObject({ status: 429 });
  expect((await claimService.accept('carol', 'elsewhere')).id).toBe(3);
});

// Defect: A faucet's payment that failed in its block counted for no limit
test('a payment that fails in its block has cost the fee, and its address waits', async () => {
  const faucet = testFaucet({ windowMs: 10 * MINUTE });
  faucet.chain.failing.add('alice');
  await paidOnce(faucet);
  expect(faucet.claimService.find(1)).toMatchObject({ kind: 'failed' });
  await expect(faucet.claimService.accept('alice', 'elsewhere')).rejects.toMatchObject({ status: 429 });
});

// Defect: Claims pushed those with limits out of the faucet's memory
test('no number of claims makes the faucet forget a limit, and all clients together have one', async () => {
  const faucet = await paidOnce(testFaucet({ windowMs: 10 * MINUTE, clientClaims: 1, kept: 3 }));
  const { claimService, chain } = faucet;
  chain.refusing.add('contract');
  for (let index = 0; index < 5; index += 1) {
    await claimService.accept('contract', HOME.replace('1', String(index + 2)));
    await faucet.pass();
  }
  await expect(claimService.accept('alice', 'elsewhere')).rejects.toMatchObject({ status: 429 });
  await claimService.accept('bob', 'b');
  await claimService.accept('carol', 'c');
  await expect(claimService.accept('dave', 'd')).rejects.toThrow(
    'the faucet has paid as many claims as it may for now',
  );
});

test('claims that arrive at one moment cannot pass the limits together', async () => {
  const { claimService, ledger } = testFaucet({ queueCap: 1 });
  const results = await Promise.allSettled(
    ['alice', 'alice', 'bob'].map((address) => claimService.accept(address, HOME)),
  );
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  expect(ledger.unfinishedCount).toBe(1);
});

test('a full queue refuses', async () => {
  const { claimService } = testFaucet({ queueCap: 1 });
  await claimService.accept('alice', HOME);
  await expect(claimService.accept('bob', HOME)).rejects.toMatchObject({ status: 503, code: 'queue-full' });
});

test('an empty faucet shows its balance and where to send more', async () => {
  const faucet = testFaucet();
  faucet.chain.balance = 10n;
  await faucet.pass();
  expect(faucet.claimService.status()).toMatchObject({
    state: 'empty',
    problem: 'the faucet is empty: it holds 10 COIN and pays 10 COIN; send some to faucet',
  });
  await expect(faucet.claimService.accept('alice', HOME)).rejects.toMatchObject({ status: 503, code: 'empty' });
});

test('what is promised to others is not promised again', async () => {
  const faucet = testFaucet();
  faucet.chain.balance = 15n;
  await faucet.pass();
  await faucet.claimService.accept('alice', HOME);
  await expect(faucet.claimService.accept('bob', HOME)).rejects.toThrow(
    'it holds 15 COIN, promised to claims that wait, and pays 10 COIN',
  );
});

test('while the node is away claims are taken, and paid when it is back', async () => {
  const faucet = testFaucet();
  faucet.chain.isAway = true;
  await expect(faucet.pass()).rejects.toThrow('ECONNREFUSED');
  const claim = await faucet.claimService.accept('alice', HOME);
  expect(faucet.claimService.status().state).toBe('absent');
  expect(faucet.claimService.findNote(claim)).toBe('the node does not answer');
  faucet.chain.isAway = false;
  await faucet.pass();
  faucet.chain.mine();
  await faucet.pass();
  expect(faucet.chain.paidTo('alice')).toEqual([10n]);
});

test('the faucet does not pay itself', async () => {
  await expect(testFaucet().claimService.accept('faucet', HOME)).rejects.toMatchObject({ status: 400 });
});

test('whoever watches a claim sees it sent, or gives up as it is', async () => {
  const faucet = testFaucet();
  const claim = await faucet.claimService.accept('alice', HOME);
  const watching = faucet.claimService.watch(claim, new AbortController().signal);
  await faucet.pass();
  expect(faucet.claimService.findState(await watching)).toBe('sent');
  const bob = await faucet.claimService.accept('bob', HOME);
  expect(await faucet.claimService.watch(bob, AbortSignal.abort())).toEqual(bob);
});

test('a claim knows how many are before it', async () => {
  const { claimService } = testFaucet();
  const claims = [
    await claimService.accept('a', HOME),
    await claimService.accept('b', HOME),
    await claimService.accept('c', HOME),
  ];
  expect(claims.map((claim) => claimService.ahead(claim))).toEqual([0, 1, 2]);
});
