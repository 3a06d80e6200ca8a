import { bytesToHex, checksummed, keccakHex } from '@switchyard/protocol/ethereum';
import { FakeComposer } from '@switchyard/rollup/testing';
import { silentLogger, systemClock } from '@switchyard/service';
import { eventually, rpcContext } from '@switchyard/service/testing';
import { afterEach, expect, test } from 'vitest';
import { transactionCheck } from '../../pool/check.ts';
import { createPool } from '../../pool/create-pool.ts';
import { embeddedPoolChain } from '../../pool/embedded-chain.ts';
import { openPoolStore } from '../../pool/store.ts';
import { testChain } from '../../testing.ts';
import { rpcServer } from '../server.ts';
import { poolMethods } from './methods.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** The embedded chain with a pool before it, and a composer in memory. */
async function node() {
  const made = await testChain();
  const { genesis, chain, senders, database } = made;
  const composer = new FakeComposer();
  const pool = createPool({
    chain: embeddedPoolChain(chain, genesis.sequencer.startHeight),
    check: transactionCheck(
      () => ({ ...genesis, fork: 'cancun' }),
      (tx) => senders.of(tx),
    ),
    findHash: keccakHex,
    collector: composer,
    store: openPoolStore(database),
    log: silentLogger,
  });
  const stop = new AbortController();
  const done = pool.work(stop.signal);
  closers.push(async () => {
    stop.abort(new Error('over'));
    await done;
  });
  await eventually(() => pool.trouble === undefined);
  const methods = poolMethods({ chain, pool, clock: systemClock });
  const server = rpcServer({ methods, log: silentLogger, clock: systemClock });
  const ask = async (method: string, ...params: readonly unknown[]) => {
    const { result, error } = JSON.parse((await server.call(1, method, params, rpcContext())).text);
    return error === undefined ? result : error;
  };
  const block = () => made.sequence(composer.sequence(genesis.sequencer.startHeight + chain.heads.latest));
  return { ...made, composer, pool, ask, block };
}

test('a transaction is sent, listed, executed, and its status is known at each step', async () => {
  const { account, ask, block, composer } = await node();
  const [alice, bob] = [account(0), account(1)];
  const raw = alice.sign({ to: bob.address, value: 5n });
  const hash = keccakHex(raw);
  expect(await ask('switchyard_transactionStatus', hash)).toEqual({ status: 'unknown' });
  expect(await ask('eth_sendRawTransaction', bytesToHex(raw))).toBe(hash);
  expect(composer.queued).toEqual([raw]);
  expect(await ask('switchyard_transactionStatus', hash)).toEqual({ status: 'queued' });
  expect(await ask('txpool_status')).toEqual({ pending: '0x1', queued: '0x0' });
  const shown = { hash, from: alice.address, blockHash: null, nonce: '0x0', value: '0x5' };
  expect(await ask('txpool_content')).toMatchObject({
    pending: { [checksummed(alice.address)]: { 0: shown } },
    queued: {},
  });
  expect(await ask('txpool_contentFrom', alice.address)).toMatchObject({ pending: { 0: shown }, queued: {} });
  expect(await ask('txpool_contentFrom', bob.address)).toEqual({ pending: {}, queued: {} });
  await block();
  expect(await ask('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' });
  expect(await ask('switchyard_transactionStatus', hash)).toEqual({
    ...{ status: 'included', block: '0x1', index: '0x0' },
    ...{ success: true, firm: true },
  });
});

test('what waits behind a gap is listed as queued, in the words of a node', async () => {
  const { account, ask } = await node();
  const [alice, bob] = [account(0), account(1)];
  const raw = alice.sign({ to: bob.address, value: 5n, nonce: 3n, gasLimit: 21_000n });
  await ask('eth_sendRawTransaction', bytesToHex(raw));
  const { queued } = await ask('txpool_inspect');
  expect(queued[checksummed(alice.address)]['3']).toMatch(
    new RegExp(`^${checksummed(bob.address)}: 5 wei \\+ 21000 gas × \\d+ wei$`),
  );
  expect(await ask('switchyard_transactionStatus', keccakHex(raw))).toEqual({
    ...{ status: 'held', missing: '0x0', reason: 'waits for the transaction with nonce 0' },
  });
});

test('refusals of a block can be asked for', async () => {
  const { account, ask, sequence } = await node();
  const raw = account(0).sign({ to: account(1).address, nonce: 7n });
  await sequence([raw, Uint8Array.of(1, 2)]);
  expect(await ask('switchyard_getRefusals', 'latest')).toMatchObject([
    { entry: '0x0', kind: 'transaction', hash: keccakHex(raw), from: account(0).address, code: 'nonce-too-high' },
    { entry: '0x1', from: null, code: 'malformed' },
  ]);
  expect(await ask('switchyard_getRefusals', '0x0')).toEqual([]);
  expect(await ask('switchyard_getRefusals', '0x99')).toMatchObject({ code: -32_000 });
  expect(await ask('switchyard_transactionStatus', keccakHex(raw))).toMatchObject({
    ...{ status: 'refused', block: '0x1', code: 'nonce-too-high' },
  });
});

test('a sender can wait for the receipt', async () => {
  const { account, ask, block, composer } = await node();
  const answer = ask('eth_sendRawTransactionSync', bytesToHex(account(0).sign({ to: account(1).address })));
  await eventually(() => composer.queued.length === 1);
  await block();
  expect(await answer).toMatchObject({ status: '0x1', blockNumber: '0x1', transactionIndex: '0x0' });
  const late = account(0).sign({ to: account(1).address });
  expect(await ask('eth_sendRawTransactionSync', bytesToHex(late), '0x1')).toMatchObject({
    code: 4,
    data: keccakHex(late),
  });
});

test.each([
  ['eth_sendRawTransaction', [], 'missing value for required argument 0'],
  ['eth_sendRawTransaction', ['f86d'], 'invalid argument 0'],
  ['eth_sendRawTransaction', [7], 'invalid argument 0'],
  ['eth_sendRawTransactionSync', ['0x', 'soon'], 'invalid argument 1'],
  ['txpool_contentFrom', ['0x12'], 'invalid argument 0'],
  ['switchyard_transactionStatus', ['0x12'], 'invalid argument 0'],
  ['switchyard_getRefusals', [{}], 'invalid argument 0'],
])('%s with %j is refused by the parameter', async (method, params, message) => {
  const { ask } = await node();
  expect(await ask(method, ...params)).toMatchObject({ code: -32_602, message: expect.stringContaining(message) });
});

test('hex that can be no transaction is refused by its beginning and its length, the rest unread', async () => {
  const { ask } = await node();
  const mebibytes = (start: string) => `${start}${'zz'.repeat(2 ** 20)}`;
  expect(await ask('eth_sendRawTransaction', mebibytes('0x03'))).toEqual({
    code: -32_000,
    message: 'transaction type not supported: blob transactions (type 3) are not accepted',
  });
  expect(await ask('eth_sendRawTransactionSync', mebibytes('0x02'))).toEqual({
    code: -32_000,
    message: 'oversized data: 1048577 bytes, at most 131072 are taken',
  });
});
