import { signAuthorization } from '@switchyard/evm-machine/authorization-testing';
import type { Address } from '@switchyard/evm-machine/types';
import { txHashOf } from '@switchyard/protocol';
import { afterEach, expect, test } from 'vitest';
import { signTransaction } from '../transactions/sign.ts';
import {
  account,
  alice,
  bob,
  CHAIN_ID,
  ETHER,
  GWEI,
  getHash,
  signed,
  World,
  type WorldOptions,
} from './testing/world.ts';

const open: World[] = [];
afterEach(async () => {
  for (const world of open.splice(0)) await world.close();
});

async function world(options?: WorldOptions): Promise<World> {
  const made = new World(options);
  open.push(made);
  await made.run();
  return made;
}

const CODE: Address = '0x00000000000000000000000000000000000000c0';
const LIMIT = 'in-flight transaction limit reached for delegated accounts';
/** Many bytes that only an executed transaction pays for. */
const large = (nonce: bigint) =>
  signed(alice, { nonce, data: new Uint8Array(90_000), gasLimit: 1_000_000n, maxFeePerGas: GWEI });

/** Sent by `from`: points Alice's account to code. */
const delegation = (from: typeof alice, nonce: bigint, authorized: bigint, chainId = CHAIN_ID) =>
  signTransaction(
    {
      ...{ chainId: CHAIN_ID, nonce, gasLimit: 100_000n, maxFeePerGas: 2n * GWEI, maxPriorityFeePerGas: GWEI },
      to: bob.address,
      authorizations: [signAuthorization({ chainId, address: CODE, nonce: authorized }, alice.privateKey)],
    },
    from.privateKey,
  );

// Defect: 18 transactions of an emptied delegated account sequenced at the composer's cost
test.each([
  ['at once', false],
  ['over a wire', true],
])(
  'what a delegated account that is emptied costs the composer is one transaction; accounts %s',
  async (_, isRemote) => {
    const w = await world({ isRemote });
    w.chain.delegate(alice.address);
    const answers: string[] = [];
    for (let nonce = 0n; nonce < 18n; nonce += 1n) answers.push(await w.send(large(nonce)));
    expect(answers[0]).toBe(getHash(large(0n)));
    expect(answers.slice(1).every((each) => each.startsWith(LIMIT))).toBe(true);
    expect([w.composer.queued, w.pool.counts]).toEqual([[large(0n)], { sent: 1, held: 0 }]);
    await w.block();
    w.chain.setBalance(alice.address, 0n);
    w.chain.block([]);
    expect(await w.send(large(1n))).toContain('insufficient funds');
  },
);

test('a delegated account sends again when its block has come, and leaves no nonce out', async () => {
  const w = await world();
  w.chain.delegate(alice.address);
  expect(await w.send(signed(alice, { nonce: 1n }))).toContain('gapped-nonce tx from delegated accounts');
  await w.send(signed(alice));
  await w.block();
  expect(await w.send(signed(alice, { nonce: 1n }))).toBe(getHash(signed(alice, { nonce: 1n })));
});

test('an account with code of its own sends nothing', async () => {
  const w = await world();
  w.chain.setCode(alice.address);
  expect(await w.send(signed(alice))).toContain('sender not an eoa');
});

test.each([
  ['by another account', account(2), 0n, 0n],
  ['by itself', alice, 0n, 1n],
])('an account that is to be delegated %s has one transaction under way', async (_, from, nonce, authorized) => {
  const w = await world();
  const first = delegation(from, nonce, authorized);
  expect(await w.send(first)).toBe(getHash(first));
  if (from !== alice) await w.send(signed(alice));
  expect(await w.send(signed(alice, { nonce: 1n }))).toContain(LIMIT);
  await w.block();
  expect((await w.chain.account(alice.address)).isDelegated).toBe(true);
  expect(await w.send(signed(alice, { nonce: 1n }))).toBe(getHash(signed(alice, { nonce: 1n })));
});

test('an account with several transactions under way is not delegated meanwhile', async () => {
  const w = await world();
  await w.send(signed(alice));
  await w.send(signed(alice, { nonce: 1n }));
  expect(await w.send(delegation(account(2), 0n, 2n))).toContain('authority already reserved');
  expect(await w.send(delegation(account(2), 0n, 2n, 5n))).toBe(getHash(delegation(account(2), 0n, 2n, 5n)));
  await w.block();
  expect(await w.send(delegation(account(2), 1n, 2n))).toBe(getHash(delegation(account(2), 1n, 2n)));
});

test('what is held of an account goes one by one once it is delegated, and leaves when nothing can pay for it', async () => {
  const w = await world();
  for (const nonce of [1n, 2n, 3n]) await w.send(signed(alice, { nonce }));
  w.chain.block([delegation(account(2), 0n, 0n)]);
  await w.send(signed(alice));
  await w.run(2_000);
  expect([w.composer.queued, w.pool.counts]).toEqual([[signed(alice)], { sent: 1, held: 3 }]);
  await w.block();
  expect([w.composer.queued, w.pool.counts]).toEqual([[signed(alice, { nonce: 1n })], { sent: 1, held: 2 }]);
  w.chain.setBalance(alice.address, 0n);
  await w.block();
  await w.run(2_000);
  expect(w.pool.counts).toEqual({ sent: 0, held: 0 });
  expect(await w.outcome(w.pool.status(getHash(signed(alice, { nonce: 3n }))))).toMatchObject({
    status: 'refused',
    code: 'insufficient-funds',
  });
});

// Defect: Transaction refused by its block reported as sequenced for up to two minutes
test('what its block has refused for good is not called sequenced while the composer learns of that block', async () => {
  const w = await world();
  const raw = signed(alice, { value: 9n * ETHER });
  await w.send(raw);
  w.chain.setBalance(alice.address, ETHER);
  w.chain.block([raw]);
  await w.run(100);
  const refused = { status: 'refused', block: 1n, code: 'insufficient-funds' };
  expect(await w.outcome(w.pool.status(getHash(raw)))).not.toMatchObject({ status: 'sequenced' });
  w.composer.sequence(w.chain.sequencerHeight);
  expect(await w.composer.submission(txHashOf(raw))).toEqual({ kind: 'sequenced', height: w.chain.sequencerHeight });
  expect(await w.outcome(w.pool.status(getHash(raw)))).toMatchObject(refused);
  await w.run(2_000);
  expect(w.pool.counts).toEqual({ sent: 0, held: 0 });
});
