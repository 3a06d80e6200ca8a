import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NonceInDoubt } from './chain-check.ts';
import { type Claim, decodeClaim } from './claim.ts';
import type { SignedPayment } from './payer.ts';
import { type TestFaucet, testFaucet } from './testing/faucet.ts';
import type { Disk } from './testing/memory-store.ts';

const claim = (faucet: TestFaucet, address: string) => faucet.claimService.accept(address, '127.0.0.1');
const getState = ({ claimService, ledger }: TestFaucet, id = 1) => {
  const found = ledger.get(id);
  return found === undefined ? undefined : claimService.findState(found);
};

const getRows = ({ rows }: Disk): Claim[] =>
  [...rows].flatMap(([key, row]) => (key.startsWith('claim/') ? [decodeClaim(row)] : []));

/** Payments of claim 1, with their nonce. */
const getPayments = ({ ledger }: TestFaucet): readonly (SignedPayment & { readonly nonce: number })[] => {
  const claim = ledger.get(1);
  return claim?.kind === 'signed' ? claim.payments.map((payment) => ({ ...payment, nonce: claim.nonce })) : [];
};

test('a claim is signed and on disk before it is sent, and paid when a block has it', async () => {
  const faucet = testFaucet();
  await claim(faucet, 'alice');
  let onDisk: Claim | undefined;
  faucet.chain.onCall = (when) => {
    if (when === 'before' && onDisk === undefined) onDisk = getRows(faucet.disk).find(({ kind }) => kind === 'signed');
  };
  expect(getState(faucet)).toBe('queued');
  await faucet.pass();
  expect(onDisk).toMatchObject({ address: 'alice' });
  expect([getState(faucet), faucet.chain.pool.size]).toEqual(['sent', 1]);
  faucet.chain.mine();
  await faucet.pass();
  expect(faucet.ledger.get(1)).toMatchObject({ kind: 'paid', block: 1n, nonce: 0 });
  expect(faucet.chain.paidTo('alice')).toEqual([10n]);
});

test('at most eight payments are in flight, with consecutive nonces', async () => {
  const faucet = testFaucet();
  for (let index = 0; index < 10; index += 1) await claim(faucet, `a${index}`);
  await faucet.pass();
  expect([...faucet.chain.pool.values()].map(({ nonce }) => nonce)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  faucet.chain.mine();
  await faucet.pass();
  expect([...faucet.chain.pool.values()].map(({ nonce }) => nonce)).toEqual([8, 9]);
});

test('a payment that the node forgot is sent again, the same bytes', async () => {
  const faucet = testFaucet();
  await claim(faucet, 'alice');
  await faucet.pass();
  const [sent] = faucet.chain.pool.keys();
  faucet.chain.pool.clear();
  await faucet.pass();
  expect([...faucet.chain.pool.keys()]).toEqual([sent]);
});

test('a payment that offers too little is signed again with the same nonce, and either may pay', async () => {
  const faucet = testFaucet();
  await claim(faucet, 'alice');
  await faucet.pass();
  faucet.chain.pool.clear();
  faucet.chain.price = 5n;
  await faucet.pass();
  await faucet.pass();
  expect(getPayments(faucet).map(({ nonce, cost }) => [nonce, cost])).toEqual([
    [0, 11n],
    [0, 15n],
  ]);
  faucet.chain.mine();
  await faucet.pass();
  expect(getState(faucet)).toBe('paid');
});

test('a nonce that another transaction spent is abandoned after three lookups, and a new one used', async () => {
  const faucet = testFaucet();
  await claim(faucet, 'alice');
  await faucet.pass();
  faucet.chain.pool.clear();
  faucet.chain.spendNonce();
  await faucet.pass();
  await faucet.pass();
  expect(getPayments(faucet)).toHaveLength(1);
  await faucet.pass();
  expect(getPayments(faucet).map(({ nonce }) => nonce)).toEqual([1]);
  faucet.chain.mine();
  await faucet.pass();
  expect(faucet.chain.paidTo('alice')).toEqual([10n]);
});

test('a recipient whose code refuses gets the reason, and the next one is paid', async () => {
  const faucet = testFaucet();
  faucet.chain.refusing.add('proxy');
  faucet.chain.failing.add('late');
  for (const address of ['proxy', 'late', 'alice']) await claim(faucet, address);
  await faucet.pass();
  expect(faucet.ledger.get(1)).toMatchObject({ kind: 'failed', reason: 'its code refuses the payment' });
  faucet.chain.mine();
  await faucet.pass();
  expect([getState(faucet, 2), getState(faucet, 3)]).toEqual(['failed', 'paid']);
});

test('a recipient that the node cannot estimate for delays no other claim, and fails after some minutes', async () => {
  const faucet = testFaucet();
  faucet.chain.puzzling.add('maze');
  await claim(faucet, 'maze');
  await claim(faucet, 'alice');
  await faucet.pass();
  const [maze] = faucet.ledger.unfinished();
  if (maze === undefined) throw new Error('the claim is gone');
  expect(faucet.claimService.findNote(maze)).toBe('the node cannot estimate the payment: execution timeout');
  faucet.clock.ms -= 4_900;
  await faucet.pass();
  expect([...faucet.chain.pool.values()].map(({ to }) => to)).toEqual(['alice']);
  for (let turn = 0; turn < 200 && getState(faucet) === 'queued'; turn += 1) await faucet.pass();
  expect(faucet.ledger.get(1)).toMatchObject({ kind: 'failed', reason: 'execution timeout' });
});

test('claims wait while the faucet is empty, with a reason, and are paid when it is filled', async () => {
  const faucet = testFaucet();
  await claim(faucet, 'alice');
  faucet.chain.balance = 5n;
  await faucet.pass();
  const [waiting] = faucet.ledger.unfinished();
  if (waiting === undefined) throw new Error('the claim is gone');
  expect(faucet.claimService.findNote(waiting)).toBe('the faucet is empty; the claim is paid once it is refilled');
  faucet.chain.balance = 100n;
  await faucet.pass();
  faucet.chain.mine();
  await faucet.pass();
  expect(getState(faucet)).toBe('paid');
});

test('funds are promised once: payments in flight count as spent', async () => {
  const faucet = testFaucet();
  faucet.chain.balance = 25n;
  for (const address of ['alice', 'bob', 'carol']) await claim(faucet, address);
  await faucet.pass();
  expect(faucet.chain.pool.size).toBe(2);
});

test('another chain under the same claims stops all payments, and its return resumes them', async () => {
  const faucet = testFaucet();
  await claim(faucet, 'alice');
  await faucet.pass();
  faucet.chain.mine();
  await faucet.pass();
  faucet.chain.chain = 'other';
  await expect(faucet.pass()).rejects.toThrow('belong to chain model and the node is of chain other');
  expect(faucet.claimService.status().state).toBe('unusable');
  faucet.chain.chain = 'model';
  await faucet.pass();
  expect(faucet.claimService.status().state).toBe('ready');
  faucet.chain.nonce = 0;
  await expect(faucet.pass()).rejects.toThrow('the node knows 0 transactions');
});

test('a nonce that is reported wrongly once neither moves a claim nor holds it up', async () => {
  const faucet = testFaucet();
  await claim(faucet, 'alice');
  faucet.chain.isLying = true;
  await expect(faucet.pass()).rejects.toThrow('the node reports nonce 9000000, and ours are known up to 0');
  expect([faucet.ledger.get(1)?.kind, faucet.chain.pool.size]).toEqual(['queued', 0]);
  faucet.chain.isLying = false;
  await faucet.pass();
  faucet.chain.mine();
  await faucet.pass();
  expect(faucet.chain.paidTo('alice')).toEqual([10n]);
});

test('a chain other than the one asked for is refused at once', async () => {
  const faucet = testFaucet({ chainId: 'wanted' });
  await expect(faucet.pass()).rejects.toThrow('the node is of chain model, expected wanted');
  expect(faucet.ledger.chain).toBeUndefined();
});

class Crash extends Error {}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant('claim' as const) },
  { weight: 6, arbitrary: fc.constant('pass' as const) },
  { weight: 4, arbitrary: fc.constant('mine' as const) },
  { weight: 1, arbitrary: fc.constantFrom('forget' as const, 'spend' as const, 'dear' as const, 'cheap' as const) },
  { weight: 2, arbitrary: fc.constant('lie' as const) },
  // The process dies at the n-th thing that it does outside itself, before or after that took effect.
  {
    weight: 4,
    arbitrary: fc.record({ crashAt: fc.nat(8), when: fc.constantFrom('before' as const, 'after' as const) }),
  },
);

test('whatever happens, every accepted claim is paid exactly once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      let faucet = testFaucet();
      const { chain, disk } = faucet;
      const accepted: string[] = [];
      const attempt = async (work: () => Promise<unknown>) => {
        try {
          await work();
        } catch (error) {
          if (error instanceof NonceInDoubt) return;
          if (!(error instanceof Crash)) throw error;
          chain.onCall = () => undefined;
          disk.onWrite = () => undefined;
          faucet = faucet.again();
        }
      };
      for (const [index, each] of steps.entries()) {
        if (each === 'mine') chain.mine();
        else if (each === 'forget') chain.pool.clear();
        else if (each === 'spend') chain.spendNonce();
        else if (each === 'lie') {
          chain.isLying = true;
          await attempt(() => faucet.pass());
          chain.isLying = false;
          await attempt(() => faucet.pass());
        } else if (each === 'dear') chain.price += 1n;
        else if (each === 'cheap') chain.price = 1n;
        else if (each === 'pass') await attempt(() => faucet.pass());
        else if (each === 'claim') {
          await attempt(async () => {
            await claim(faucet, `a${index}`);
            accepted.push(`a${index}`);
          });
        } else {
          let left = each.crashAt;
          const countdown = (when: 'before' | 'after') => {
            if (when === each.when && left-- === 0) throw new Crash();
          };
          chain.onCall = countdown;
          disk.onWrite = countdown;
        }
      }
      chain.onCall = () => undefined;
      disk.onWrite = () => undefined;
      for (let turn = 0; turn < 200 && faucet.ledger.unfinishedCount > 0; turn += 1) {
        await attempt(() => faucet.pass());
        chain.mine();
      }
      expect(faucet.ledger.unfinishedCount).toBe(0);
      for (const address of accepted) expect([address, chain.paidTo(address)]).toEqual([address, [10n]]);
      // A claim whose acceptance was never answered may be paid, but not twice either.
      for (const { to } of chain.executed.values()) expect(chain.paidTo(to)).toHaveLength(1);
    }),
    { numRuns: 300 },
  );
});
