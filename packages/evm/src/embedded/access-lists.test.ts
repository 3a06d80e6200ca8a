import { hashOfAccessList, itemsIn, mostItems } from '@switchyard/evm-machine/access-lists';
import { decodeAccessList } from '@switchyard/evm-machine/access-lists/decode';
import { accessListJson } from '@switchyard/evm-machine/access-lists/json';
import { createdAddress } from '@switchyard/evm-machine/created-address';
import { readyPrecompiles } from '@switchyard/evm-machine/precompiles';
import type { Address } from '@switchyard/evm-machine/types';
import { hexToBytes, quantity } from '@switchyard/protocol/ethereum';
import { beforeAll, expect, test } from 'vitest';
import type { NewBlock } from '../chain/store.ts';
import { BEACON_ROOTS_ADDRESS } from '../genesis/file.ts';
import { HISTORY_ADDRESS, REQUEST_CONTRACTS } from '../rules/system-contracts.ts';
import { getCreation } from '../testing/contracts.ts';
import { History, historyGenesis } from '../testing/history.ts';
import { testChain, testDeposit, testGenesisText, testRpc } from '../testing.ts';

const FORKS = { prague: 0, osaka: 0, amsterdam: 0 };
/** Contracts that the protocol calls in every block. */
const SYSTEM = [HISTORY_ADDRESS, BEACON_ROOTS_ADDRESS, ...REQUEST_CONTRACTS.map(({ address }) => address)];

beforeAll(readyPrecompiles);

function getList({ accessList = new Uint8Array() }: NewBlock) {
  return accessListJson(decodeAccessList(accessList));
}

/** Accounts of a block's list without the contracts that every block calls. */
function accessedIn(block: NewBlock) {
  return getList(block).filter(({ address }) => !SYSTEM.some((system) => system.toLowerCase() === address));
}

test('a block has the list of what its parts access, each at its index, and the header its hash', async () => {
  const chain = await testChain({ genesis: { forks: FORKS } });
  const [sender, receiver, paid] = [chain.account(0), chain.account(1), chain.account(2).address];
  const before = chain.chain.state(0n).account(paid)?.balance ?? 0n;
  const data = [
    sender.transfer(paid, 5n, { nonce: 0n }),
    // Refused, so that it takes no index.
    sender.transfer(paid, 5n, { nonce: 0n }),
    sender.transfer(paid, 6n, { nonce: 1n }),
  ];
  const block = await chain.sequence([...data, testDeposit(receiver.address, 7n)]);
  expect(block.block.header.blockAccessListHash).toBe(hashOfAccessList(block.accessList ?? new Uint8Array()));
  const accounts = accessedIn(block);
  expect(accounts.map(({ address }) => address)).toEqual(
    [block.block.header.coinbase, paid, sender.address, receiver.address].sort(),
  );
  const getChanges = (address: Address) => accounts.find((each) => each.address === address);
  expect(getChanges(paid)?.balanceChanges).toEqual([
    { index: '0x1', value: quantity(before + 5n) },
    { index: '0x2', value: quantity(before + 11n) },
  ]);
  expect(getChanges(sender.address)?.nonceChanges).toEqual([
    { index: '0x1', value: '0x1' },
    { index: '0x2', value: '0x2' },
  ]);
  expect(getChanges(receiver.address)?.balanceChanges.map(({ index }) => index)).toEqual(['0x3']);
});

test('a block without transactions accesses what the protocol calls, and nothing else', async () => {
  const chain = await testChain({ genesis: { forks: FORKS } });
  const block = await chain.sequence([]);
  expect(getList(block).map(({ address }) => address)).toEqual(SYSTEM.map((each) => each.toLowerCase()).sort());
});

test('a block before the fork has none', async () => {
  // The contracts of the fork are there from the beginning.
  const genesis = JSON.parse(testGenesisText({ forks: FORKS }));
  genesis.config.amsterdamTime = 1_700_000_100;
  const chain = await testChain({ genesisText: JSON.stringify(genesis) });
  const before = await chain.sequence([], { seconds: 1_700_000_099n });
  expect([before.accessList, before.block.header.blockAccessListHash]).toEqual([undefined, undefined]);
  const after = await chain.sequence([], { seconds: 1_700_000_100n });
  expect(chain.chain.accessListIn(1n)).toBeUndefined();
  expect(chain.chain.accessListIn(2n)).toEqual(after.accessList);
  const rpc = testRpc(chain);
  expect(await rpc('eth_getBlockAccessList', '0x1')).toBeNull();
  expect(await rpc('eth_getBlockAccessList', 'latest')).toEqual(getList(after));
  await expect(rpc('debug_getRawBlockAccessList', '0x1')).rejects.toThrow('the block has no access list');
});

test.each([1, 2, 3])(
  'what needs no interpreter is recorded as the interpreter records it, history %i',
  async (seed) => {
    const genesisText = historyGenesis(FORKS);
    const [direct, interpreted] = [await testChain({ genesisText }), await testChain({ genesisText, direct: false })];
    const history = new History(seed, direct.accounts, { setsCode: true });
    for (let number = 1n; number <= 12n; number += 1n) {
      const input = history.block(number, direct.chain.state(direct.chain.heads.latest));
      const lists = [];
      for (const { executor, chain } of [direct, interpreted]) {
        await executor.executeBatch((await executor.state()).commitments.soft.hash, [input], { firm: true });
        lists.push(accessListJson(decodeAccessList(chain.accessListIn(number) ?? new Uint8Array())));
      }
      expect(lists[0]).toEqual(lists[1]);
      expect(direct.chain.findHash(number)).toBe(interpreted.chain.findHash(number));
    }
  },
);

/** Loads one slot after another, until its gas is gone. */
const LOADER = hexToBytes('0x5f5b805450600101600156');

test('a block whose gas and deposits are used up has no more items than its gas limit allows', async () => {
  const gasLimit = 3_000_000;
  const chain = await testChain({ genesis: { forks: FORKS, gasLimit } });
  const sender = chain.account(0);
  await chain.sequence([sender.deploy(getCreation(LOADER), { nonce: 0n, gasLimit: 1_000_000n })]);
  const to = createdAddress(sender.address, 0n);
  const deposits = Array.from({ length: 300 }, (_, index) =>
    testDeposit(`0x${(0x1000 + index).toString(16).padStart(40, '0')}`, 1n),
  );
  const loads = [2_500_000n, 2_400_000n, 100_000n].map((gas) =>
    sender.call(to, new Uint8Array(), { nonce: 1n, gasLimit: gas }),
  );
  const made = await chain.sequence([...loads, ...deposits]);
  const { accessList = new Uint8Array(), refused, receipts, block } = made;
  // (1,500 - 50 - 300) items of 2,100 gas.
  expect(refused.map(({ entry, code }) => [entry, code])).toEqual([
    [0, 'block-gas'],
    [2, 'nonce-too-low'],
  ]);
  expect(receipts.map(({ status, gasUsed }) => [status, gasUsed])).toEqual([[0, 2_400_000n]]);
  const items = itemsIn(decodeAccessList(accessList));
  expect(items).toBeGreaterThan(1_400);
  expect(BigInt(items)).toBeLessThanOrEqual(mostItems(block.header.gasLimit));
});
