import { createBlockFromRLP } from '@ethereumjs/block';
import { createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common';
import { MerkleStateManager } from '@ethereumjs/statemanager';
import { createVM, runBlock } from '@ethereumjs/vm';
import { bytesToHex, hexToBytes } from '@switchyard/protocol/ethereum';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeBlock } from '../blocks/block.ts';
import type { NewBlock } from '../chain/store.ts';
import type { GenesisChoices } from '../genesis/file.ts';
import { type TestChain, testChain } from '../testing.ts';
import { type ContractName, createdAt, words } from './testing/contracts.ts';
import {
  BALANCES,
  deployAll,
  EMPTY_ACCOUNT,
  GAS_LIMIT,
  getEntries,
  history,
  NAMES,
  SENDERS,
} from './testing/random-blocks.suite.ts';

/** Each is a history of up to four blocks, executed three times. */
const RUNS = 5;

/** The block without the calls inside its transactions, which the direct path does not record. */
const visible = ({ block, receipts, refused, remainders }: NewBlock) => ({ block, receipts, refused, remainders });

async function twin(more: Partial<GenesisChoices> = {}) {
  const genesis = { gasLimit: GAS_LIMIT, balances: BALANCES, ...more };
  const direct = await testChain({ genesis });
  const interpreted = await testChain({ genesis, direct: false });
  const both = async (...args: Parameters<TestChain['sequence']>) => {
    const [left, right] = [await direct.sequence(...args), await interpreted.sequence(...args)];
    expect(visible(left)).toEqual(visible(right));
    return left;
  };
  return { direct, both };
}

/** EthereumJS's own way of executing a block, with its own state and trie, from the same genesis. */
async function oracle({ genesis, chain }: TestChain) {
  // None of our optimisations.
  const common = createCustomCommon({ chainId: Number(genesis.chainId) }, Mainnet, { hardfork: Hardfork.Cancun });
  const stateManager = new MerkleStateManager({ common });
  const blockchain = {
    getBlock: async (number: number) => ({ hash: () => hexToBytes(chain.findHash(BigInt(number)) ?? '0x') }),
    putBlock: async () => {},
    shallowCopy: () => blockchain,
  };
  const vm = await createVM({ common, stateManager, blockchain: blockchain as never });
  await stateManager.generateCanonicalGenesis(
    Object.fromEntries(
      [...genesis.alloc].map(([address, { balance, code, nonce }]) => [
        address,
        [`0x${balance.toString(16)}`, code, [], `0x${nonce.toString(16)}`],
      ]),
    ),
  );
  return {
    /** Throws if state root, receipts, bloom or gas are not those of the header. */
    async check({ block }: NewBlock) {
      const decoded = createBlockFromRLP(encodeBlock(block), { common });
      expect(bytesToHex(decoded.hash())).toBe(block.hash);
      await runBlock(vm, { block: decoded, skipBlockValidation: true, root: await stateManager.getStateRoot() });
      expect(bytesToHex(await stateManager.getStateRoot())).toBe(block.header.stateRoot);
    },
  };
}

test('the direct path gives the blocks that the interpreter gives, and EthereumJS on its own agrees', {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(history, async (blocks) => {
      const { direct, both } = await twin();
      const { check } = await oracle(direct);
      const [first] = direct.accounts;
      if (first === undefined) throw new Error('no accounts');
      await check(await both(deployAll(first)));
      let seconds = 1_700_000_100n;
      for (const { steps, seconds: passed } of blocks) {
        seconds += BigInt(passed);
        const state = direct.chain.state(direct.chain.heads.latest);
        const nonces = direct.accounts.slice(0, SENDERS).map(({ address }) => state.account(address)?.nonce ?? 0n);
        await check(await both(getEntries(steps, direct.accounts, nonces), { seconds }));
      }
    }),
    { numRuns: RUNS },
  );
});

test('by the rules of Amsterdam the direct path gives the same blocks, too', { timeout: 300_000 }, async () => {
  const forks = { prague: 0, osaka: 0, amsterdam: 0 };
  await fc.assert(
    fc.asyncProperty(history, async (blocks) => {
      const { direct, both } = await twin({ forks, gasLimit: 20 * GAS_LIMIT });
      const [first] = direct.accounts;
      if (first === undefined) throw new Error('no accounts');
      const deployed = await both(deployAll(first));
      expect(deployed.receipts.map(({ status }) => status)).toEqual(NAMES.map(() => 1));
      let seconds = 1_700_000_100n;
      for (const { steps, seconds: passed } of blocks) {
        seconds += BigInt(passed);
        const state = direct.chain.state(direct.chain.heads.latest);
        const nonces = direct.accounts.slice(0, SENDERS).map(({ address }) => state.account(address)?.nonce ?? 0n);
        await both(getEntries(steps, direct.accounts, nonces), { seconds });
      }
    }),
    { numRuns: RUNS },
  );
});

test('what calls leave behind that fail, that touch, and that come again in a block', async () => {
  const { direct, both } = await twin();
  const { check } = await oracle(direct);
  const [owner, other] = [direct.account(0), direct.account(1)];
  const at = (name: ContractName) => createdAt(owner.address, NAMES.indexOf(name));
  const spoil = at('spoil');
  const call = (name: ContractName, data: Uint8Array) => other.call(at(name), data);
  await check(await both(deployAll(owner)));
  // Sets the slot; finds nothing in transient storage although the one before counted; clears it, and fails.
  await check(await both([0n, 0n, 0n, 1n].map((word) => call('spoil', words(word)))));
  await check(await both([call('twice', words(spoil, 1n, 0n)), call('twice', words(spoil, 0n, 1n))]));
  await check(await both([call('ask', words(spoil, 0n)), call('relay', words(spoil, 1n))]));
  const emptyAccount = () => direct.chain.state(direct.chain.heads.latest).account(EMPTY_ACCOUNT);
  expect(emptyAccount()).toMatchObject({ nonce: 0n, balance: 0n });
  await check(await both([call('ask', words(EMPTY_ACCOUNT, 0n))]));
  expect(emptyAccount()).toBeUndefined();
});
