import { createSigner, decodeEnvelope, fromHex, parseDenom, txHashOf } from '@switchyard/protocol';
import {
  action,
  address,
  asset,
  credit,
  defineRollup,
  option,
  text,
  transfer,
  u32,
  u64,
  u128,
} from '@switchyard/rollup';
import { clientAt } from '@switchyard/rollup/client';
import { getFetch, testRollup } from '@switchyard/rollup/testing';
import { silentLogger } from '@switchyard/service';
import { expect, onTestFinished, test } from 'vitest';
import { Ledger } from '../ledger.ts';
import { PayoutWorker } from '../payout-worker.ts';
import { TestClock } from '../testing/faucet.ts';
import { memoryDisk, memoryStore } from '../testing/memory-store.ts';
import { rollupPayer } from './payer.ts';
import { getPayment } from './payment.ts';

const signer = createSigner(new Uint8Array(32).fill(1));
const BOB = 'astria1yf56efahcq786pe5t7paknat40g6q4tsvqtql2';
const { signal } = new AbortController();
const NRIA = parseDenom('nria').id;

const move = action({
  fields: { to: address, amount: u128, asset, memo: option(text({ maxBytes: 8 })) },
  execute: ({ to, amount, asset: id }, { state, signer: from }) => transfer(state, from, to, id, amount),
});
const odd = action({ fields: { to: address, amount: u64, times: u32 }, execute: () => undefined });
const definition = {
  name: 'shop',
  actions: { transfer: move, odd },
  initialState: (state: Parameters<typeof credit>[0]) => credit(state, signer.account, NRIA, 700n),
} as const;
const shop = defineRollup(definition);
const GENESIS = JSON.stringify({ rollup_name: 'shop', sequencer_chain_id: 'chain', canonical_transactions: true });

async function node(defined: typeof shop = shop) {
  const running = await testRollup(defined, GENESIS, { log: silentLogger });
  onTestFinished(() => running.stop());
  const connect = () => clientAt({ url: 'http://node', fetch: getFetch(running) });
  const payer = rollupPayer(signer, { action: 'transfer', asset: 'nria' }, connect);
  const disk = memoryDisk();
  const clock = new TestClock();
  /** A faucet on the state on disk, as after `kill -9`. */
  const faucet = () => {
    const ledger = new Ledger(memoryStore(disk), { clock, wall: clock, windowMs: 0 });
    const deps = { payer, ledger, clock, wall: clock, log: silentLogger, signal, random: () => 0.5 };
    const worker = new PayoutWorker(deps);
    const pass = async () => {
      clock.ms += 5_000;
      await worker.pass();
    };
    return { ledger, pass };
  };
  const held = async (account: string) =>
    (await running.client.rollup.get(`/v1/state/balances/${account}/nria`)).at('decoded').big();
  return { ...running, payer, faucet, held };
}

test('reports the committed nonce and the balance, and distinguishes chains by their genesis', async () => {
  const { payer, client } = await node();
  const [{ chainId }, { hash }] = await Promise.all([client.rollup.status(), client.rollup.block(0n)]);
  const funds = { chain: `${chainId} ${hash}`, chainId, rollup: 'shop', nonce: 0, balance: 700n, fee: 0n };
  expect(await payer.funds(signal)).toEqual(funds);
});

test('a payment is the action of the definition, with a last block, and its hash is that of the node', async () => {
  const { payer, block, held } = await node();
  const signed = await payer.sign({ to: BOB, amount: 100n, nonce: 0 }, signal);
  expect(signed).toMatchObject({ cost: 100n, hash: txHashOf(fromHex(signed.bytes)) });
  const { body } = decodeEnvelope(fromHex(signed.bytes), shop.typeUrl);
  expect(shop.body.decode(body)).toMatchObject({ lastBlock: 64n, actions: [{ amount: 100n, asset: NRIA }] });
  expect(await payer.send(signed, signal)).toEqual({ kind: 'held' });
  expect(await payer.outcome([signed], 0, signal)).toEqual({ kind: 'unknown' });
  await block();
  expect(await payer.outcome([signed], 0, signal)).toEqual({ kind: 'paid', hash: signed.hash, block: 1n });
  expect([await held(BOB), (await payer.funds(signal)).nonce]).toEqual([100n, 1]);
});

// Defect: A payment of a faucet that no block took could be executed at any later time
test('a claim whose payment has expired is paid once, whoever puts the old bytes into a block and whatever is killed', async () => {
  const { faucet, composer, block, held, payer } = await node();
  const first = faucet();
  await first.ledger.accept({ address: BOB, client: 'one', amount: 100n, at: 1 as never });
  await first.pass();
  const [old] = composer.queued;
  if (old === undefined) throw new Error('no payment was sent');
  composer.forget();
  for (let empty = 0; empty < 64; empty += 1) await block();
  // The first pass is refused as expired and signs again, the second one sends.
  await first.pass();
  const again = faucet();
  await again.pass();
  await block({ data: [old] });
  await again.pass();
  expect(await held(BOB)).toBe(100n);
  expect(again.ledger.unfinished()).toEqual([]);
  expect((await payer.funds(signal)).nonce).toBe(1);
});

test('an address of another kind of chain is named as such', async () => {
  const { payer } = await node();
  expect(payer.recipient(BOB.toUpperCase())).toBe(BOB);
  expect(() => payer.recipient('0x70997970c51812dc3a010c7d01b50e0d17dc79c8')).toThrow('an address of an EVM chain');
});

test('what the node refuses is tried again later, and what gets no answer is an error', async () => {
  const { payer, composer } = await node();
  const signed = await payer.sign({ to: BOB, amount: 1n, nonce: 0 }, signal);
  composer.mode = 'full';
  expect(await payer.send(signed, signal)).toMatchObject({ kind: 'later', reason: /^the rollup refused: / });
  const absent = rollupPayer(signer, { action: 'transfer', asset: 'nria' }, () =>
    Promise.reject(new Error('no answer')),
  );
  await expect(absent.send(signed, signal)).rejects.toThrow('no answer');
});

test('a payment whose nonce another transaction has used is known to be replaced', async () => {
  const { payer, block } = await node();
  const [one, other] = [
    await payer.sign({ to: BOB, amount: 1n, nonce: 0 }, signal),
    await payer.sign({ to: BOB, amount: 2n, nonce: 0 }, signal),
  ];
  await block({ data: [fromHex(other.bytes), fromHex(one.bytes)] });
  expect(await payer.outcome([one], 0, signal)).toEqual({ kind: 'replaced' });
});

test.each<[string, string]>([
  [
    'absent',
    'action absent: expected one address, one amount and assets, got no such action; set SVC_FAUCET_ACTION to one of transfer, odd that pays',
  ],
  ['odd', 'action odd: expected one address, one amount and assets, got fields to, amount, times'],
])('the action %s is none that pays', (kind, message) => {
  expect(() => getPayment(shop, kind)).toThrow(message);
});

test('what a transaction costs in the asset is counted with a payment', async () => {
  const fees = { asset: 'nria', perByte: 0n, perStep: 1n };
  const { payer } = await node(defineRollup({ ...definition, fees }));
  expect((await payer.funds(signal)).fee).toBe(64n);
  expect((await payer.sign({ to: BOB, amount: 10n, nonce: 0 }, signal)).cost).toBe(74n);
});
