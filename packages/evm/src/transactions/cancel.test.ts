import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { alice, bob, CHAIN_ID, GWEI, getHash, signed, World } from '../pool/testing/world.ts';
import { buildCancellation } from './cancel.ts';
import { signTransaction } from './sign.ts';
import { decodeTransaction } from './transaction.ts';

const open: World[] = [];
afterEach(async () => {
  for (const world of open.splice(0)) await world.close();
});

const terms = { chainId: CHAIN_ID, baseFee: GWEI, privateKey: alice.privateKey };

test('the pool takes the cancellation for a held transaction, and its outcome names it', async () => {
  const w = new World();
  open.push(w);
  await w.run();
  const held = signed(alice, { nonce: 1n });
  await w.send(held);
  const { cancellation } = buildCancellation(held, terms);
  expect(cancellation).toMatchObject({ from: alice.address, nonce: 1n });
  const raw = cancellation?.raw ?? new Uint8Array();
  expect(await w.send(raw)).toBe(getHash(raw));
  expect(w.pool.counts).toEqual({ sent: 0, held: 1 });
  expect(await w.outcome(w.pool.status(getHash(held)))).toMatchObject({ status: 'replaced', by: getHash(raw) });
  await w.send(signed(alice, { nonce: 0n }));
  await w.run();
  expect(w.composer.queued).toEqual([signed(alice, { nonce: 0n }), raw]);
});

test('it pays at least a tenth more than any transaction, and moves nothing', () => {
  const fee = fc.bigInt({ min: 0n, max: 10n ** 12n });
  fc.assert(
    fc.property(fee, fee, fee, fc.boolean(), (a, b, baseFee, isLegacy) => {
      const [tip = 0n, max = 0n] = [a, b].toSorted((x, y) => (x < y ? -1 : 1));
      const fees = isLegacy ? { gasPrice: max } : { maxFeePerGas: max, maxPriorityFeePerGas: tip };
      const unsigned = { chainId: CHAIN_ID, nonce: 7n, gasLimit: 90_000n, to: bob.address, value: 5n, ...fees };
      const old = signTransaction(unsigned, alice.privateKey);
      const { cancellation } = buildCancellation(old, { ...terms, baseFee });
      const { nonce, to, value, data, maxFeePerGas, maxPriorityFeePerGas } = decodeTransaction(
        cancellation?.raw ?? new Uint8Array(),
      );
      const before = decodeTransaction(old);
      expect({ nonce, to, value, data: data.length }).toEqual({ nonce: 7n, to: alice.address, value: 0n, data: 0 });
      expect(maxFeePerGas >= maxPriorityFeePerGas).toBe(true);
      expect(maxFeePerGas * 100n >= before.maxFeePerGas * 110n && maxFeePerGas > before.maxFeePerGas).toBe(true);
      expect(
        maxPriorityFeePerGas * 100n >= before.maxPriorityFeePerGas * 110n &&
          maxPriorityFeePerGas > before.maxPriorityFeePerGas,
      ).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test("another account's key cancels nothing", () => {
  const held = signed(bob, { nonce: 1n });
  expect(buildCancellation(held, terms)).toEqual({ sender: bob.address, cancellation: undefined });
});
