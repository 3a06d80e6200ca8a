import type { Address } from '@switchyard/evm-machine/types';
import { hexToBytes } from '@switchyard/protocol/ethereum';
import { expect, test } from 'vitest';
import { type TestChain, testChain } from '../testing.ts';
import { CONTRACTS, type ContractName, createdAt, getCreation, words } from './testing/contracts.ts';
import { deployAll, NAMES } from './testing/random-blocks.suite.ts';

const RECIPIENT: Address = `0x${'ee'.repeat(20)}`;

async function world() {
  const chain = await testChain();
  await chain.sequence(deployAll(chain.account(0)));
  const place = (name: ContractName) => createdAt(chain.account(0).address, NAMES.indexOf(name));
  return { chain, place };
}

async function getInternal(chain: TestChain, raw: Uint8Array) {
  const { internal, receipts } = await chain.sequence([raw]);
  return { calls: internal[0], status: receipts[0]?.status };
}

test('a call with value inside a transaction is recorded, a plain transfer has none', async () => {
  const { chain, place } = await world();
  const account = chain.account(1);
  const forward = place('forward');
  expect(await getInternal(chain, account.call(forward, words(RECIPIENT), { value: 5n }))).toEqual({
    status: 1,
    calls: [{ kind: 'call', from: forward, to: RECIPIENT, value: 5n, depth: 1 }],
  });
  expect(await getInternal(chain, account.transfer(RECIPIENT, 5n))).toEqual({ status: 1, calls: undefined });
});

test.each(['create', 'create2'] as const)('%s is recorded with its creator', async (kind) => {
  const { chain, place } = await world();
  const data = getCreation(CONTRACTS.store);
  const { calls } = await getInternal(chain, chain.account(1).call(place(kind), data, { value: 3n }));
  expect(calls).toEqual([{ kind, from: place(kind), to: expect.any(String), value: 3n, depth: 1 }]);
  const created = calls?.[0]?.to ?? RECIPIENT;
  expect(chain.chain.state(2n).account(created)).toMatchObject({ balance: 3n, nonce: 1n });
});

test('a contract that destroys itself passes on what it had and what it just got', async () => {
  const { chain, place } = await world();
  const destroy = place('destroy');
  const { calls } = await getInternal(chain, chain.account(1).call(destroy, words(RECIPIENT), { value: 7n }));
  expect(calls).toEqual([{ kind: 'selfdestruct', from: destroy, to: RECIPIENT, value: 7n, depth: 1 }]);
});

test('one that is created and destroyed at once is recorded in this order', async () => {
  const { chain, place } = await world();
  const { calls } = await getInternal(
    chain,
    chain.account(1).call(place('create'), hexToBytes(`0x73${RECIPIENT.slice(2)}ff`), { value: 9n }),
  );
  const gone = calls?.[0]?.to;
  expect(calls).toEqual([
    { kind: 'create', from: place('create'), to: gone, value: 9n, depth: 1 },
    { kind: 'selfdestruct', from: gone, to: RECIPIENT, value: 9n, depth: 2 },
  ]);
  expect(chain.chain.state(2n).account(gone ?? RECIPIENT)).toBeUndefined();
});

test('what a failed frame did is not recorded', async () => {
  const { chain, place } = await world();
  const { calls, status } = await getInternal(
    chain,
    chain.account(1).call(place('forward'), words(place('revert')), { value: 5n }),
  );
  expect({ calls, status }).toEqual({ calls: undefined, status: 1 });
});
