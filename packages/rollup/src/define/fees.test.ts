import { balances, credit, debit, nonces } from '@switchyard/machine';
import { assetIdFromTrace, formatAddress, Rejected } from '@switchyard/protocol';
import { Input } from '@switchyard/service/input';
import { afterEach, expect, test } from 'vitest';
import { u32, u64 } from '../schema/scalars.ts';
import { signers } from '../testing/tally.ts';
import { testRollup } from '../testing/test-rollup.ts';
import { contractFrom } from './contract-from.ts';
import { action, defineRollup } from './definition.ts';
import type { Fees } from './fees.ts';
import { table } from './table.ts';
import { signTransaction } from './transaction.ts';

const [alice, bob] = signers;
const NRIA = assetIdFromTrace('nria');
const GENESIS = JSON.stringify({
  rollup_name: 'paid',
  sequencer_chain_id: 'sequencer-0',
  canonical_transactions: true,
});
const FEES: Fees = { asset: 'nria', perByte: 2n, perStep: 100n };
const rows = table({ name: 'rows', key: u32, value: u32 });

/** @param held By alice; bob has none. */
const paid = (fees: Fees | undefined, held = 10_000n) =>
  defineRollup({
    name: 'paid',
    tables: [rows],
    ...(fees && { fees }),
    actions: {
      fill: action({
        fields: { count: u32 },
        execute({ count }, { state }) {
          for (let row = 0; row < count; row += 1) rows.put(state, row, row);
          if (count === 3) throw new Rejected('unauthorized');
          if (count === 4) throw new TypeError('a bug');
        },
      }),
      /** Two steps. */
      burn: action({
        fields: { amount: u64 },
        execute: ({ amount }, { state, signer }) => debit(state, signer, NRIA, amount),
      }),
    },
    initialState: (state) => credit(state, alice.account, NRIA, held),
  });

const stopping: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
});

async function start(fees: Fees, held?: bigint) {
  const defined = paid(fees, held);
  const node = await testRollup(defined, GENESIS);
  stopping.push(() => node.stop());
  const { chainId } = await node.client.rollup.status();
  type One = Parameters<typeof node.client.send>[0][number];
  return {
    ...node,
    /** Puts transactions of alice into a block, past the intake. @returns their bytes, and the codes of refusals. */
    async run(...actions: readonly One[]) {
      const nonce = nonces.get(node.chain.view.snapshot, alice.account);
      const data = await Promise.all(
        actions.map((each, index) =>
          signTransaction(defined, { nonce: nonce + index, chainId, actions: [each] }, alice),
        ),
      );
      await node.block({ data });
      const { body } = await node.get(`/v1/blocks/${node.chain.view.soft}`);
      const { refusals } = body as { refusals: { message: string }[] };
      return { bytes: data.reduce((sum, { length }) => sum + BigInt(length), 0n), refusals };
    },
    held: (account = alice.account) => balances.get(node.chain.view.snapshot, [account, NRIA]),
    nonce: () => nonces.get(node.chain.view.snapshot, alice.account),
    rows: () => [...rows.range(node.chain.view.snapshot, { limit: 10 })].length,
  };
}

test('an executed transaction pays for its bytes and its steps, and the fee is destroyed', async () => {
  const node = await start(FEES);
  const { bytes } = await node.run({ kind: 'fill', count: 2 });
  expect([node.held(), node.rows()]).toEqual([10_000n - 2n * bytes - 200n, 2]);
});

// Defect: Refused transactions cost their sender nothing
test.each([
  ['a refusal', 3, 'unauthorized'],
  ['a bug', 4, 'bug'],
])('a transaction that ends in %s pays in full, and leaves nothing else', async (_, count, reason) => {
  const node = await start(FEES);
  const { bytes, refusals } = await node.run({ kind: 'fill', count });
  expect(refusals).toMatchObject([{ message: expect.stringContaining(reason) }]);
  expect([node.held(), node.rows(), node.nonce()]).toEqual([10_000n - 2n * bytes - 100n * BigInt(count), 0, 1]);
});

test('its steps are those that its balance pays for, and one more refuses it', async () => {
  const node = await start({ ...FEES, perByte: 0n }, 550n);
  const { refusals } = await node.run({ kind: 'fill', count: 7 });
  expect(refusals).toMatchObject([{ message: 'limit reached: field steps that the balance pays for, limit 5' }]);
  expect([node.held(), node.rows(), node.nonce()]).toEqual([50n, 0, 1]);
});

test('where its actions spend what its steps cost, it is refused and pays them', async () => {
  const node = await start({ ...FEES, perByte: 0n }, 1_000n);
  const { refusals } = await node.run({ kind: 'burn', amount: 900n });
  expect(refusals).toMatchObject([{ message: expect.stringContaining('insufficient balance') }]);
  expect([node.held(), node.nonce()]).toEqual([800n, 1]);
  await node.run({ kind: 'burn', amount: 600n });
  expect(node.held()).toBe(0n);
});

test('one that cannot pay for its bytes leaves nothing, and the intake refuses it', async () => {
  const node = await start(FEES, 150n);
  const { refusals } = await node.run({ kind: 'fill', count: 1 });
  expect(refusals).toMatchObject([{ message: expect.stringContaining('insufficient balance') }]);
  expect([node.held(), node.nonce()]).toEqual([150n, 0]);
  for (const signer of [alice, bob]) {
    await expect(node.client.submit.fill({ count: 1 }, signer)).rejects.toMatchObject({ code: 'insufficient-balance' });
  }
});

test('an account may get them, up to what it can hold', async () => {
  const node = await start({ ...FEES, to: formatAddress(bob.account) });
  const { bytes } = await node.run({ kind: 'fill', count: 2 }, { kind: 'fill', count: 3 });
  expect(node.held(bob.account)).toBe(2n * bytes + 500n);
  expect(node.held() + node.held(bob.account)).toBe(10_000n);
});

test('clients have the fees from the document, and they belong to the fingerprint', () => {
  const fees = { ...FEES, to: formatAddress(bob.account) };
  const { document, fingerprint } = paid(fees);
  expect(document.fees).toEqual({ asset: 'nria', perByte: '2', perStep: '100', to: formatAddress(bob.account) });
  expect(contractFrom(new Input({ ...document, fingerprint }, 'definition')).document).toEqual(document);
  const changed = [undefined, FEES, { ...FEES, perByte: 3n }, { ...FEES, perStep: 0n }, { ...FEES, asset: 'ntia' }];
  const prints = [fees, ...changed].map((each) => paid(each).fingerprint);
  expect(new Set(prints).size).toBe(6);
});

test.each<[string, object, string]>([
  ['an asset that is none', { asset: '' }, 'fees: asset: '],
  ['an address that is none', { to: 'bob' }, 'fees: to: '],
  ['a negative amount', { perByte: -1n }, 'fees: perByte: expected a bigint from 0 to 2^64 - 1, got -1'],
  ['an amount that is no bigint', { perStep: 1 }, 'fees: perStep: expected a bigint from 0 to 2^64 - 1, got 1'],
  ['no amount', { perByte: 0n, perStep: 0n }, 'fees: perByte, perStep: expected at least one above 0'],
])('fees with %s are refused when they are defined', (_, change, message) => {
  expect(() => paid({ ...FEES, ...change })).toThrow(`rollup "paid": ${message}`);
});
