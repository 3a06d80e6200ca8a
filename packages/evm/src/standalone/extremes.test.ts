import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEV_ACCOUNTS } from '../genesis/development-accounts.ts';
import { startTestNode } from './testing/start.ts';

/* All that a cheat method accepts can be written, read back, continued from, and started from again. */

const [from, other] = DEV_ACCOUNTS.map(({ address }) => address);
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;
const hex = (value: bigint) => `0x${value.toString(16)}`;

/** Around every width that something may have, as JSON numbers too. */
const EDGES = [0n, 1n, 1n << 31n, 1n << 32n, 1n << 53n, 1n << 62n, 1n << 63n, 1n << 64n, 1n << 128n, 1n << 256n];
const number = fc
  .tuple(fc.constantFrom(...EDGES), fc.constantFrom(-1n, 0n, 1n))
  .map(([edge, step]) => edge + step)
  .filter((value) => value >= 0n);
const quantity = number.map(hex);
const call = (method: string, ...params: readonly fc.Arbitrary<unknown>[]) =>
  fc.tuple(fc.constant(method), ...params) as fc.Arbitrary<[string, ...unknown[]]>;

const account = fc.constant(other);
const CALLS: readonly fc.Arbitrary<[string, ...unknown[]]>[] = [
  call('anvil_setBalance', account, quantity),
  call('anvil_setNonce', account, quantity),
  call('anvil_setNonce', fc.constant(from), quantity),
  call(
    'anvil_setStorageAt',
    account,
    quantity,
    number.map((value) => word(BigInt.asUintN(256, value))),
  ),
  call('anvil_setCode', account, fc.constantFrom('0x', '0x00', `0x${'5b'.repeat(30_000)}`)),
  call('anvil_setCoinbase', account),
  call('anvil_setNextBlockBaseFeePerGas', quantity),
  call('anvil_setPrevRandao', fc.constant(word((1n << 256n) - 1n))),
  call('anvil_setBlockTimestampInterval', quantity),
  call('anvil_mine', fc.constantFrom('0x1', '0x3', hex(1n << 64n), hex(1n << 255n)), quantity),
  call('evm_mine', quantity),
  call('evm_mine', fc.record({ blocks: fc.constantFrom('0x2', hex(1n << 64n)), timestamp: quantity })),
  call('evm_increaseTime', quantity),
  call('evm_setTime', quantity),
  call('evm_setNextBlockTimestamp', quantity),
  call('evm_setBlockGasLimit', quantity),
  call(
    'evm_setIntervalMining',
    number.map((value) => hex(value + (1n << 20n))),
  ),
  call('evm_revert', quantity),
  call('evm_snapshot'),
];

const CRASHED = -32_603;
/** Obstacles to a transaction that are no damage: a price, a limit or a nonce that was requested. */
const EXPECTED = /insufficient funds|base fee|gas limit|exceeds|nonce|cap|balance/i;

// Defect: `evm dev` accepted values that it cannot store, stopped answering, and did not start again
test('whatever a cheat method accepts is written, read and continued from, also by a node that is started again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(...CALLS), { minLength: 1, maxLength: 6 }), async (calls) => {
      const directory = await mkdtemp(join(tmpdir(), 'extremes-'));
      const env = { SVC_EVM_STANDALONE_STATE_DIR: directory };
      let node = await startTestNode(env);
      try {
        const read = async () => {
          const block = (await node.call('eth_getBlockByNumber', 'latest', true)) as { readonly number: string };
          await node.call('eth_feeHistory', '0x4', 'latest', [50]);
          for (const method of ['eth_gasPrice', 'txpool_content', 'anvil_nodeInfo', 'hardhat_metadata'])
            await node.call(method);
          for (const tag of ['latest', 'pending']) {
            await node.call('eth_getTransactionCount', other, tag);
            // NUMBER + TIMESTAMP + BASEFEE + GASLIMIT.
            await node.call('eth_call', { data: '0x4342014801450160005260206000f3', gas: '0xffff' }, tag);
          }
          return [block, await node.call('eth_getBalance', other, 'latest'), await node.call('eth_getCode', other)];
        };
        const next = async () => {
          await node.call('evm_mine');
          const { error } = await node.ask('eth_sendTransaction', { from, to: other, value: '0x1', gas: '0x5208' });
          if (error !== undefined) expect(error.message).toMatch(EXPECTED);
          expect(error?.code).not.toBe(CRASHED);
        };
        for (const [method, ...params] of calls) {
          const { error } = await node.ask(method, ...params);
          expect(error?.code, `${method}: ${error?.message}`).not.toBe(CRASHED);
          await next();
        }
        const before = await read();
        const state = await node.call('anvil_dumpState');
        await node.stop();
        node = await startTestNode(env);
        expect(await read()).toEqual(before);
        await next();
        await node.call('anvil_loadState', state);
        await next();
      } finally {
        await node.stop();
        await rm(directory, { recursive: true, force: true });
      }
    }),
    { numRuns: 8, endOnFailure: true },
  );
});
