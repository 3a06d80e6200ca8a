/** Validator updates for the engine: CometBFT halts on the removal of an unknown validator. */

import { commitRollupData, type Signer } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { validators } from './tables/authority.ts';
import { alice, bob, sudo, TestNode, validator } from './testing.ts';

const { rollupTransactionsRoot, rollupIdsRoot } = commitRollupData(new Map());
const power = (who: Signer, value: bigint) =>
  ({ kind: 'validatorUpdate', publicKey: who.publicKey, power: value, name: '' }) as const;

test('a validator added and removed within one block is not reported, one that stays is reported once', async () => {
  const node = new TestNode();
  const txs = [
    node.sign(sudo, [power(alice, 3n), power(bob, 4n)]),
    node.sign(sudo, [power(alice, 0n), power(bob, 5n)]),
  ];
  const entries = [rollupTransactionsRoot, rollupIdsRoot, ...txs];
  expect(node.app.processProposal(node.proposal(entries))).toBe('accept');
  const { result } = await node.make(entries);
  expect(result.validatorUpdates).toEqual([{ publicKey: bob.publicKey, power: 5n }]);
  const removed = await node.make([rollupTransactionsRoot, rollupIdsRoot, node.sign(sudo, [power(bob, 0n)])]);
  expect(removed.result.validatorUpdates).toEqual([{ publicKey: bob.publicKey, power: 0n }]);
});

test('a validator that signed two blocks of a height is removed, and the engine is updated', async () => {
  const node = new TestNode();
  await node.make([rollupTransactionsRoot, rollupIdsRoot, node.sign(sudo, [power(bob, 4n)])]);
  const address = Buffer.from(bob.account, 'hex');
  const misbehavior = [
    { kind: 'duplicate-vote', address, power: 4n, height: 1n, time: { seconds: 1n, nanos: 0 }, totalPower: 14n },
  ] as const;
  const block = { ...node.proposal([rollupTransactionsRoot, rollupIdsRoot]), misbehavior, hash: new Uint8Array(32) };
  expect(node.app.processProposal(block)).toBe('accept');
  expect(node.app.finalizeBlock(block).validatorUpdates).toEqual([{ publicKey: bob.publicKey, power: 0n }]);
  await node.app.commit();
  expect(validators.has(node.app.snapshot(), bob.account)).toBe(false);
  expect(validators.has(node.app.snapshot(), validator.account)).toBe(true);
});
