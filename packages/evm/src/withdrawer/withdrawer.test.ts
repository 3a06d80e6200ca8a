import { accountIdFromBytes, formatAddress, parseAddress, Rejected } from '@switchyard/protocol';
import { bytesToHex } from '@switchyard/protocol/ethereum';
import { JsonRpcError } from '@switchyard/service';
import { Input, InvalidData } from '@switchyard/service/input';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TEST_BRIDGE, type TestChainOptions, testChain, testRpc } from '../testing.ts';
import { decodeText, encodeText, toSelector } from './abi.ts';
import { WITHDRAWER_ADDRESS } from './predeploy.ts';
import { getWithdrawals, readBridgeContract, readWithdrawals, withdrawalCall } from './withdrawals.ts';

const GWEI = 10n ** 9n;
const carol = formatAddress(accountIdFromBytes(new Uint8Array(20).fill(0xca)));

async function network(genesis: TestChainOptions['genesis'] = {}) {
  const chain = await testChain({ genesis: { withdrawer: true, ...genesis } });
  const call = testRpc(chain);
  return { chain, client: { call } };
}

const [from] = (await testChain()).accounts;

/** Reason for which the contract refuses a call; undefined if it does not. */
async function refusal(client: { call: ReturnType<typeof testRpc> }, destination: string, value: bigint) {
  const transaction = {
    ...{ from: from?.address, to: WITHDRAWER_ADDRESS, value: `0x${value.toString(16)}` },
    data: withdrawalCall(destination),
  };
  try {
    await client.call('eth_call', transaction, 'latest');
    return undefined;
  } catch (error) {
    if (error instanceof JsonRpcError) return error.rpcMessage;
    throw error;
  }
}

test.each([
  ['one slot for each text', 'nria', 9],
  ['texts of 31, 32 and 33 bytes', 'a'.repeat(31), 0],
  ['texts of 31, 32 and 33 bytes', 'a'.repeat(32), 6],
  ['texts of 31, 32 and 33 bytes', 'a'.repeat(33), 18],
  ['a text of several slots', `ibc/${'ab'.repeat(32)}`, 18],
])('the contract reads what the genesis wrote: %s', async (_, asset, precision) => {
  const { client } = await network({ bridges: [{ address: TEST_BRIDGE, asset, precision }] });
  expect(await readBridgeContract(client)).toEqual({
    ...{ precision, divisor: 10n ** BigInt(18 - precision), bridgeAddress: TEST_BRIDGE, asset },
  });
});

test('a genesis without a bridge has no contract, nor has one that does not ask for it', async () => {
  expect(await readBridgeContract((await network({ bridges: [] })).client)).toBeUndefined();
  expect(await readBridgeContract((await network({ withdrawer: false })).client)).toBeUndefined();
});

test('an event has the sender, the wei and the destination, and an id of its own', async () => {
  const { chain, client } = await network();
  const [alice, bob] = [chain.account(0), chain.account(1)];
  const pay = (account: typeof alice, value: bigint) =>
    account.call(WITHDRAWER_ADDRESS, Buffer.from(withdrawalCall(carol).slice(2), 'hex'), { value });
  const { block, receipts } = await chain.sequence([pay(alice, 3n * GWEI), pay(bob, GWEI)]);
  expect(receipts.map(({ status }) => status)).toEqual([1, 1]);
  // Half of the gas above a transfer's is for the check of the destination.
  expect(receipts.map(({ gasUsed }) => gasUsed)).toEqual([59_903n, 59_903n]);
  const found = await readWithdrawals({ client, from: 0n, to: 1n });
  expect(found).toEqual(
    [alice, bob].map(({ address }, index) => ({
      blockNumber: 1n,
      blockHash: chain.chain.findHash(1n),
      transactionHash: block.transactions[index]?.hash,
      logIndex: BigInt(index),
      eventId: `${block.transactions[index]?.hash}.0x${String(index).padStart(64, '0')}`,
      sender: address,
      amount: index === 0 ? 3n * GWEI : GWEI,
      destination: carol,
    })),
  );
});

test.each([
  ['Osaka', { prague: 0, osaka: 0 }, 0n],
  // The transfer to the contract is a log of its own there, before the event.
  ['Amsterdam', { prague: 0, osaka: 0, amsterdam: 0 }, 1n],
])('coins are withdrawn by the rules of %s', async (_, forks, logIndex) => {
  const { chain, client } = await network({ forks });
  const data = Buffer.from(withdrawalCall(carol).slice(2), 'hex');
  const { receipts } = await chain.sequence([chain.account(0).call(WITHDRAWER_ADDRESS, data, { value: GWEI })]);
  expect(receipts).toMatchObject([{ status: 1 }]);
  expect(await readWithdrawals({ client, from: 0n, to: 1n })).toMatchObject([{ amount: GWEI, logIndex }]);
});

test.each([
  ['nothing', carol, 0n, 'amount is below the minimum'],
  ['less than a unit', carol, GWEI - 1n, 'amount is below the minimum'],
  ['a fraction of a unit', carol, GWEI + 1n, 'amount is finer than the unit of the sequencer'],
  ['a destination that is too short', carol.slice(0, -1), GWEI, 'destination has the wrong length'],
  ['a destination that is too long', `${carol}q`, GWEI, 'destination has the wrong length'],
  ['no destination', '', GWEI, 'destination has the wrong length'],
  ['an upper-case destination', carol.toUpperCase(), GWEI, 'destination has the prefix of another chain'],
  ['another prefix', carol.replace('astria', 'celest'), GWEI, 'destination has the prefix of another chain'],
  ['no separator', carol.replace('1', '2'), GWEI, 'destination has the prefix of another chain'],
  ['a character that no address has', `${carol.slice(0, -1)}b`, GWEI, 'destination has a wrong character'],
  ['a character beyond ASCII', `${carol.slice(0, -2)}é`, GWEI, 'destination has a wrong character'],
  ['a capital', `${carol.slice(0, -1)}Q`, GWEI, 'destination has a wrong character'],
  ['the bridge account', TEST_BRIDGE, GWEI, 'destination is the bridge account'],
])('%s is refused with the reason', async (_, destination, value, reason) => {
  const { client } = await network();
  expect(await refusal(client, destination, value)).toBe(`execution reverted: ${reason}`);
});

test('a minimum of the genesis holds', async () => {
  const bridge = { address: TEST_BRIDGE, asset: 'nria', precision: 9, minimum: 5n };
  const { client } = await network({ bridges: [bridge] });
  expect(await refusal(client, carol, 4n * GWEI)).toBe('execution reverted: amount is below the minimum');
  expect(await refusal(client, carol, 5n * GWEI)).toBeUndefined();
});

test('amounts that the sequencer cannot count are refused', async () => {
  const richest = 1n << 200n;
  const { client } = await network({
    bridges: [{ address: TEST_BRIDGE, asset: 'nria', precision: 18 }],
    balances: new Map([[from?.address ?? '0x', richest]]),
  });
  expect(await refusal(client, carol, 1n)).toBeUndefined();
  expect(await refusal(client, carol, (1n << 128n) - 1n)).toBeUndefined();
  expect(await refusal(client, carol, 1n << 128n)).toBe('execution reverted: amount is too large for the sequencer');
});

test('coins come in with a withdrawal alone, and no call brings them out', async () => {
  const { chain, client } = await network();
  const account = chain.account(0);
  const ibc = Buffer.from('a9f2f4a1', 'hex');
  const { receipts } = await chain.sequence([
    account.sign({ to: WITHDRAWER_ADDRESS, value: GWEI }),
    account.call(WITHDRAWER_ADDRESS, ibc, { value: GWEI }),
  ]);
  expect(receipts.map(({ status }) => status)).toEqual([0, 0]);
  expect(BigInt(String(await client.call('eth_getBalance', WITHDRAWER_ADDRESS, 'latest')))).toBe(0n);
});

test('a withdrawal to an IBC chain is refused with the way that works', async () => {
  const { client } = await network();
  // Two empty texts.
  const words = [64n, 96n, 0n, 0n].map((word) => word.toString(16).padStart(64, '0'));
  const data = `${toSelector('withdrawToIbcChain(string,string)')}${words.join('')}`;
  await expect(client.call('eth_call', { to: WITHDRAWER_ADDRESS, data }, 'latest')).rejects.toThrow(
    'withdrawals to IBC chains are not supported, use withdrawToSequencer',
  );
});

test('the contract accepts a destination exactly where the sequencer has such an address', async () => {
  const { client } = await network();
  const characters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7lb1oiQ';
  const address = fc
    .uint8Array({ minLength: 20, maxLength: 20 })
    .map((bytes) => formatAddress(accountIdFromBytes(bytes)));
  const changed = fc
    .tuple(address, fc.nat(44), fc.constantFrom(...characters))
    .map(([text, index, character]) => `${text.slice(0, index)}${character}${text.slice(index + 1)}`);
  const isAddress = (text: string) => {
    try {
      parseAddress(text, 'astria');
      return true;
    } catch (error) {
      if (error instanceof Rejected) return false;
      throw error;
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.oneof(address, changed), async (destination) => {
      expect((await refusal(client, destination, GWEI)) === undefined).toBe(isAddress(destination));
    }),
    { numRuns: 200 },
  );
});

test('the contract holds what its events add up to, whatever is sent', async () => {
  const { chain, client } = await network();
  const amount = fc.oneof(
    fc.bigInt(0n, 5n * GWEI),
    fc.bigInt(0n, 1_000n).map((units) => units * GWEI),
  );
  const destination = fc.constantFrom(carol, TEST_BRIDGE, 'astria1', '', carol.toUpperCase());
  let number = 0n;
  let sent = 0n;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(9), amount, destination), { maxLength: 5 }), async (calls) => {
      const entries = calls.map(([index, value, to]) =>
        chain.account(index).call(WITHDRAWER_ADDRESS, Buffer.from(withdrawalCall(to).slice(2), 'hex'), { value }),
      );
      const { receipts } = await chain.sequence(entries);
      number += 1n;
      const paid = calls.filter((_, index) => receipts[index]?.status === 1);
      expect(paid).toEqual(calls.filter(([, value, to]) => to === carol && value > 0n && value % GWEI === 0n));
      sent += paid.reduce((sum, [, value]) => sum + value, 0n);
      const events = await readWithdrawals({ client, from: 1n, to: number });
      expect(events.reduce((sum, event) => sum + event.amount, 0n)).toBe(sent);
      expect(BigInt(String(await client.call('eth_getBalance', WITHDRAWER_ADDRESS, 'latest')))).toBe(sent);
    }),
    { numRuns: 30 },
  );
});

test.each<[string, Record<string, unknown>, string]>([
  ['another contract', { address: `0x${'11'.repeat(20)}` }, '[0].address: expected the contract 0xa5'],
  ['a removed log', { removed: true }, '[0].removed: expected a log that is in the chain, got true'],
  ['another event', { topics: [`0x${'11'.repeat(32)}`] }, '[0].topics: expected those of SequencerWithdrawal'],
  ['a block that was not asked for', { blockNumber: '0x9' }, '[0].blockNumber: expected a block from 1 to 8'],
  ['no text', { data: `0x${'ff'.repeat(64)}` }, '[0].data: expected a text as Solidity encodes it'],
  ['no hash', { transactionHash: '0x1' }, '[0].transactionHash: expected 32 bytes in hex with 0x'],
  ['no position', { logIndex: null }, '[0].logIndex: expected a number in hex such as 0x1, got null'],
])('a log of %s is refused', async (_, changes, problem) => {
  const { chain, client } = await network();
  const data = Buffer.from(withdrawalCall(carol).slice(2), 'hex');
  await chain.sequence([chain.account(0).call(WITHDRAWER_ADDRESS, data, { value: GWEI })]);
  const logs = await client.call('eth_getLogs', { fromBlock: '0x1', toBlock: '0x1' });
  const [log] = Array.isArray(logs) ? logs : [];
  const read = (each: unknown) =>
    getWithdrawals(new Input([each], 'eth_getLogs'), { from: 1n, to: 8n, contract: WITHDRAWER_ADDRESS });
  expect(read(log)).toHaveLength(1);
  expect(() => read({ ...log, ...changes })).toThrow(problem);
  expect(() =>
    getWithdrawals(new Input([log, log], 'eth_getLogs'), { from: 1n, to: 8n, contract: WITHDRAWER_ADDRESS }),
  ).toThrow('eth_getLogs: expected logs in the order of the chain, each once');
});

test('whatever a node answers is read or refused', () => {
  const hex = (length: number) => fc.uint8Array({ maxLength: length }).map((bytes) => bytesToHex(bytes));
  const member = fc.oneof(
    hex(96),
    fc.constant(WITHDRAWER_ADDRESS),
    fc.array(hex(32), { maxLength: 4 }),
    fc.jsonValue(),
  );
  const names = ['address', 'topics', 'data', 'blockNumber', 'blockHash', 'transactionHash', 'logIndex', 'removed'];
  const log = fc.dictionary(fc.constantFrom(...names), member, { minKeys: 7 });
  fc.assert(
    fc.property(fc.oneof(fc.array(log), fc.jsonValue()), (logs) => {
      try {
        getWithdrawals(new Input(logs, 'eth_getLogs'), { from: 0n, to: 8n, contract: WITHDRAWER_ADDRESS });
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidData);
      }
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 128 }), fc.nat(96), (bytes, offset) => {
      const word = Buffer.from(offset.toString(16).padStart(64, '0'), 'hex');
      const text = decodeText(Buffer.concat([word, bytes]));
      expect(text === undefined || Buffer.byteLength(text) <= 3 * bytes.length).toBe(true);
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(decodeText(`0x${encodeText(text)}`)).toBe(text);
    }),
  );
});

test('a range is asked for in parts, and halved where the node refuses it', async () => {
  const { chain, client } = await network();
  const data = Buffer.from(withdrawalCall(carol).slice(2), 'hex');
  for (let block = 1; block <= 5; block += 1)
    await chain.sequence([chain.account(0).call(WITHDRAWER_ADDRESS, data, { value: BigInt(block) * GWEI })]);
  const ranges: string[] = [];
  const strict = {
    async call(method: string, query: { readonly fromBlock: string; readonly toBlock: string }) {
      ranges.push(`${Number(query.fromBlock)}-${Number(query.toBlock)}`);
      if (Number(query.toBlock) - Number(query.fromBlock) > 1) throw new JsonRpcError(-32_005, 'too many');
      return client.call(method, query);
    },
  };
  const found = await readWithdrawals({ client: strict, from: 1n, to: 5n });
  expect(found.map(({ blockNumber, amount }) => [blockNumber, amount])).toEqual(
    [1n, 2n, 3n, 4n, 5n].map((number) => [number, number * GWEI]),
  );
  expect(ranges).toEqual(['1-5', '1-3', '1-2', '3-3', '4-5']);
  const refusing = { call: () => Promise.reject(new JsonRpcError(-32_000, 'no logs')) };
  await expect(readWithdrawals({ client: refusing, from: 1n, to: 5n })).rejects.toThrow('no logs');
});
