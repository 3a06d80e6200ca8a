import type { BlockInput, Executor } from '@switchyard/rollup/execution';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChainStore } from './chain/store.ts';
import { fixedScript } from './embedded/testing/fixed-script.ts';
import {
  deployAll,
  GAS_LIMIT,
  getEntries,
  history as histories,
  SENDERS,
} from './embedded/testing/random-blocks.suite.ts';
import { History, historyChain, historyGenesis } from './testing/history.ts';
import { testChain, testGenesisText } from './testing.ts';

/** A back end on the genesis it was given, with nothing executed yet. */
export interface BackendFixture {
  readonly executor: Executor;
  readonly chain: ChainStore;
  close?(): Promise<void>;
}

export interface BackendSuiteOptions {
  /** Seeds of the random histories. */
  readonly seeds: readonly number[];
  /** Length of each history. */
  readonly blocks: number;
}

/** Histories begin at 1,700,000,000 and make a second or two with each block. */
const RULES = [
  { rules: 'Cancun', forks: {} },
  { rules: 'Osaka', forks: { prague: 0, osaka: 0 } },
  { rules: 'Amsterdam', forks: { prague: 0, osaka: 0, amsterdam: 0 } },
  { rules: 'Cancun, then Prague, then Osaka', forks: { prague: 1_700_000_012, osaka: 1_700_000_028 } },
];

/** Every back end must make the blocks that the embedded one makes, with everything that is stored of them. */
export function backendSuite(
  name: string,
  create: (genesis: string) => Promise<BackendFixture>,
  { seeds, blocks }: BackendSuiteOptions,
): void {
  describe(`back end: ${name}`, () => {
    const open: BackendFixture[] = [];
    afterAll(async () => {
      for (const fixture of open) await fixture.close?.();
    });
    const fresh = async (genesis: string) => {
      const fixture = await create(genesis);
      open.push(fixture);
      return fixture;
    };

    const cases = seeds.flatMap((seed) => RULES.map(({ rules, forks }) => ({ seed, rules, forks })));
    test.each(cases)(
      'makes the blocks of the embedded back end in a random history, seed $seed, $rules',
      async ({ seed, forks }) => {
        const fixture = await fresh(historyGenesis(forks));
        const model = await historyChain(forks);
        const history = new History(seed, model.accounts, { setsCode: 'prague' in forks });
        expect(fixture.chain.findHash(0n)).toBe(model.chain.findHash(0n));
        for (let number = 1n; number <= BigInt(blocks); number += 1n) {
          const input = history.block(number, model.state.at(number - 1n));
          const parent = model.chain.findHash(number - 1n) ?? '';
          await model.executor.executeBatch(parent, [input], { firm: true });
          await follow(fixture, model.chain, input);
        }
      },
    );

    test.each(seeds)('and where contracts call, create and destroy each other, seed %i', async (seed) => {
      const genesis = { gasLimit: GAS_LIMIT };
      const fixture = await fresh(testGenesisText(genesis));
      let input: BlockInput | undefined;
      const model = await testChain({ genesis, onInput: (made) => (input = made) });
      const both = async (...made: Parameters<typeof model.sequence>) => {
        await model.sequence(...made);
        if (input !== undefined) await follow(fixture, model.chain, input);
      };
      const [first] = model.accounts;
      if (first !== undefined) await both(deployAll(first));
      let seconds = 1_700_000_100n;
      for (const { steps, seconds: passed } of fc
        .sample(histories, { seed, numRuns: blocks })
        .flat()
        .slice(0, blocks)) {
        seconds += BigInt(passed);
        const state = model.chain.state(model.chain.heads.latest);
        const nonces = model.accounts.slice(0, SENDERS).map(({ address }) => state.account(address)?.nonce ?? 0n);
        await both(getEntries(steps, model.accounts, nonces), { seconds });
      }
    });

    describe('the fixed script', () => {
      const inputs: BlockInput[] = [];
      let fixture: BackendFixture;
      beforeAll(async () => {
        fixture = await fresh(testGenesisText());
      });

      test('gives the blocks that the embedded back end is pinned to', async () => {
        const model = await testChain({ onInput: (input) => void inputs.push(input) });
        await fixedScript(model);
        for (const input of inputs) await follow(fixture, model.chain, input);
      });
    });
  });
}

/** Executes the next block on the other back end, and compares it with that of the model. */
async function follow({ executor, chain }: BackendFixture, model: ChainStore, input: BlockInput): Promise<void> {
  const number = chain.heads.latest + 1n;
  await executor.executeBatch(model.findHash(number - 1n) ?? '', [input], { firm: true });
  expect({ number, ...kept(chain, number) }).toEqual({ number, ...kept(model, number) });
}

function kept(chain: ChainStore, number: bigint) {
  const accessList = chain.accessListIn(number);
  return { refused: chain.refusedIn(number), receipts: chain.receipts(number), block: chain.block(number), accessList };
}
