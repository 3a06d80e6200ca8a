import { createSigner, fromHex, parseAddress, parseDenom } from '@switchyard/protocol';
import {
  action,
  address,
  asset,
  credit,
  defineRollup,
  fallback,
  query,
  Rejected,
  single,
  table,
  transfer,
  u64,
  u128,
} from '@switchyard/rollup';
import { clientOf } from '@switchyard/rollup/client';
import { rollupProcess } from '@switchyard/rollup/node';
import { expect, test } from 'vitest';
import { localNetwork, rollup } from './index.ts';

const total = single({ name: 'total', value: u64, absent: 0n });
const credited = table({ name: 'credited', key: [address, asset], value: u128, absent: 0n });

const bank = defineRollup({
  name: 'bank',
  genesis: { start: fallback(u64, 0n) },
  tables: [total, credited],
  initialState: (state, { start }) => total.put(state, start),
  onDeposit({ destination, asset: name, amount }, state) {
    const account = parseAddress(destination);
    const { id } = parseDenom(name);
    credit(state, account, id, amount);
    credited.put(state, [account, id], credited.get(state, [account, id]) + amount);
    return account;
  },
  actions: {
    add: action({
      fields: { amount: u64 },
      execute({ amount }, { state }) {
        if (amount === 0n) throw new Rejected('empty', { field: 'amount' });
        total.put(state, total.get(state) + amount);
      },
    }),
    pay: action({
      fields: { to: address, asset, amount: u128 },
      spends: ({ asset: id, amount }) => [{ asset: id, amount }],
      execute: ({ to, asset: id, amount }, { state, signer }) => transfer(state, signer, to, id, amount),
    }),
    lucky: action({ fields: {}, execute: (_, { state }) => total.put(state, BigInt(Math.floor(Math.random() * 10))) }),
  },
  queries: {
    total: query({ answer: { total: u64 }, handle: (_, { state }) => ({ total: total.get(state) }) }),
    credited: query({
      parameters: { account: address, asset },
      answer: { amount: u128 },
      handle: ({ account, asset: id }, { state }) => ({ amount: credited.get(state, [account, id]) }),
    }),
  },
});

const bankRollup = () =>
  rollup({
    ...{ name: 'bank', process: rollupProcess(bank) },
    client: ({ url, fetch }) => clientOf(bank, { url, fetch }),
    genesis: ({ rollupName, chainId, bridge }) =>
      JSON.stringify({
        ...{ rollup_name: rollupName, sequencer_chain_id: chainId, bridge_accounts: [{ bech32m: bridge }] },
        ...{ start: 7, canonical_transactions: true, definition: bank.fingerprint },
      }),
  });

test('a rollup by schemas works in a network, and a restart loses nothing', async () => {
  await using network = await localNetwork({ rollups: [bankRollup()] });
  const { alice, bob } = network.accounts;
  const signer = createSigner(fromHex(alice.key));
  const client = network.client('bank');
  expect(await client.query.total()).toEqual({ total: 7n });
  expect(await client.submit.add({ amount: 5n }, signer, { until: 'firm' })).toMatchObject({ state: 'firm' });
  await expect(client.submit.add({ amount: 0n }, signer)).rejects.toThrow('empty: field amount');

  const coin = { account: parseAddress(alice.address), asset: parseDenom('nria').id };
  await network.deposit({ rollup: 'bank', to: alice.address, amount: 500n });
  await expect.poll(() => client.query.credited(coin), { timeout: 30_000 }).toEqual({ amount: 500n });
  const pay = { kind: 'pay', to: parseAddress(bob.address), asset: coin.asset } as const;
  await client.send(
    [
      { ...pay, amount: 200n },
      { kind: 'add', amount: 1n },
    ],
    signer,
    { until: 'firm' },
  );
  await expect(client.submit.pay({ ...pay, amount: 301n }, signer)).rejects.toThrow(/insufficient balance/);

  await network.restart('bank');
  expect(await client.query.total()).toEqual({ total: 13n });
  expect(await client.query.credited(coin)).toEqual({ amount: 500n });
});

test('a handler that uses chance ends the network with its name', async () => {
  await using network = await localNetwork({ rollups: [bankRollup()] });
  const client = network.client('bank');
  const signer = createSigner(fromHex(network.accounts.alice.key));
  const { hash } = await client.submit.lucky({}, signer, { until: 'accepted' });
  await expect.poll(() => network.failed.aborted, { timeout: 30_000 }).toBe(true);
  expect(String(network.failed.reason)).toContain(
    `action lucky of transaction ${hash}: Error: Math.random() is not for a handler`,
  );
  expect(await client.query.total()).toEqual({ total: 7n });
});
