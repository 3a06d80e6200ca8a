import { assetIdFromTrace, txHashOf } from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signers, tallyRollup } from '../testing/tally.ts';
import { PendingTransactions } from './pending.ts';

const signer = signers[0].account;
const asset = assetIdFromTrace('token');
const find = (nonce: number, hash = txHashOf(Uint8Array.of(nonce))) => ({
  transaction: { hash, signer, nonce, chainId: '', actions: [], format: tallyRollup().transactions },
  spends: [{ asset, amount: BigInt(nonce + 1) }],
  since: 0,
});

test('the next nonce is the lowest that is neither executed nor pending', () => {
  const command = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), nonce: fc.nat(12) }),
    fc.record({ kind: fc.constant('release' as const), nonce: fc.nat(12) }),
    fc.record({ kind: fc.constant('execute' as const), nonce: fc.nat(12) }),
  );
  fc.assert(
    fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
      const pending = new PendingTransactions();
      const model = new Set<number>();
      let committed = 0;
      for (const { kind, nonce } of commands) {
        if (kind === 'add') {
          pending.add(find(nonce));
          model.add(nonce);
        } else {
          pending.release(find(nonce).transaction.hash);
          model.delete(nonce);
          if (kind === 'execute' && nonce === committed) committed += 1;
        }
        let expected = committed;
        while (model.has(expected)) expected += 1;
        expect(pending.nextNonce(signer, committed)).toBe(expected);
        expect(pending.spent(signer, asset)).toBe([...model].reduce((sum, each) => sum + BigInt(each + 1), 0n));
        expect(pending.size).toBe(model.size);
      }
    }),
  );
});

test('a nonce that is taken keeps its first transaction', () => {
  const pending = new PendingTransactions();
  expect(pending.add(find(3))).toBe(true);
  expect(pending.add(find(3, txHashOf(Uint8Array.of(99))))).toBe(false);
  expect(pending.get(find(3).transaction.hash)).toEqual(find(3));
});
