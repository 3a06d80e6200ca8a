import { code, deploying } from '@switchyard/evm-machine/testing';
import type { Address } from '@switchyard/evm-machine/types';
import { sha256Hex } from '@switchyard/protocol';
import { hexToBytes } from '@switchyard/protocol/ethereum';
import { expect, test } from 'vitest';
import { callChain } from '../../rpc/call/testing.ts';
import { testDeposit } from '../../testing.ts';
import { explorerMethods } from '../methods.ts';

const HEIR: Address = `0x${'4e'.repeat(20)}`;
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** Sends 3 wei to HEIR, and logs `Transfer(caller, HEIR, 9)`. */
const BUSY = code(
  ...[0, 0, 0, 0, 3, HEIR, 50_000, 'call', 'pop'],
  ...[9, 0, 'mstore', HEIR, { raw: '0x33' } as const, TRANSFER, 32, 0, { raw: '0xa3' } as const, 'stop'],
);

async function feed() {
  const chain = await callChain();
  const { test: node, simulator, index } = chain;
  const ask = (hasInternalCalls: boolean, ...params: readonly unknown[]) =>
    chain.ask(explorerMethods({ simulator, index, hasInternalCalls }), 'switchyard_getBlocks', ...params);
  return { node, ask };
}

test('a block has all that an index of the chain keeps, in one answer', async () => {
  const { node, ask } = await feed();
  const [alice, bob] = [node.account(0), node.account(1)];
  const { receipts } = await node.sequence([alice.deploy(hexToBytes(deploying(BUSY)))]);
  const contract = receipts[0]?.contractAddress ?? '0x';
  const call = bob.call(contract, new Uint8Array([1]), { value: 5n });
  const made = await node.sequence([call, new Uint8Array([9]), testDeposit(HEIR, 2n)]);
  const expected = {
    number: '0x2',
    hash: made.block.hash,
    withdrawals: [{ address: HEIR, amount: '0x2' }],
    refused: [{ entry: 1, kind: 'transaction', code: 'unknown-type' }],
    transactions: [
      {
        submission: sha256Hex(call),
        status: '0x1',
        gasUsed: `0x${(made.receipts[0]?.gasUsed ?? 0n).toString(16)}`,
        logs: [{ address: contract, topics: [TRANSFER, expect.any(String), expect.any(String)] }],
        transfers: [
          { log: 0, item: 0, standard: 'erc20', token: contract, from: bob.address, to: HEIR, amount: '0x9' },
        ],
        internal: [{ kind: 'call', from: contract, to: HEIR, value: '0x3', depth: 1 }],
      },
    ],
  };
  expect(await ask(true, '0x2', '0x5')).toMatchObject([expected]);
  // A stock client does not report them, which is not the same as none.
  const [stock] = (await ask(false, '0x2', '0x1')) as [{ transactions: readonly object[] }];
  expect(stock.transactions[0]).not.toHaveProperty('internal');
});

test('an answer has as many blocks as were asked for and are there, and ends when it is long', async () => {
  const { node, ask } = await feed();
  for (let block = 0; block < 6; block += 1) await node.sequence([]);
  const numbers = async (...params: readonly unknown[]) =>
    ((await ask(true, ...params)) as { number: string }[]).map(({ number }) => Number(number));
  expect(await numbers('0x2', '0x3')).toEqual([2, 3, 4]);
  expect(await numbers('0x5', '0x64')).toEqual([5, 6]);
  expect(await numbers('0x7', '0x64')).toEqual([]);
  const data = new Uint8Array(100_000);
  for (let block = 0; block < 4; block += 1)
    await node.sequence([node.account(0).call(HEIR, data, { gasLimit: 1_000_000n })]);
  expect(await numbers('0x7', '0x64')).toEqual([7, 8, 9]);
});
