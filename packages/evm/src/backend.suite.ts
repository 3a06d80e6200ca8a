import type { Executor } from '@switchyard/rollup';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChainStore } from './chain/store.ts';
import { History, historyChain, historyGenesis } from './testing/history.ts';

/** A back end on the genesis it was given, with nothing executed yet. */
export interface BackendFixture {
  readonly executor: Executor;
  readonly chain: ChainStore;
  close?(): Promise<void>;
}

export interface BackendSuiteOptions {
  readonly seeds: readonly number[];
  readonly blocks: number;
}

/** What every back end must do: the blocks that the embedded one makes, with all that is kept of them. */
export function backendSuite(
  name: string,
  create: (genesis: string) => Promise<BackendFixture>,
  { seeds, blocks }: BackendSuiteOptions,
): void {
  describe.each(seeds)(`back end: ${name}, seed %i`, (seed) => {
    let fixture: BackendFixture;
    beforeAll(async () => {
      fixture = await create(historyGenesis());
    });
    afterAll(() => fixture?.close?.());

    test(`makes the blocks of the embedded back end in a random history of ${blocks}`, async () => {
      const model = await historyChain();
      const history = new History(seed, model.accounts);
      expect(fixture.chain.hashOf(0n)).toBe(model.chain.hashOf(0n));
      for (let number = 1n; number <= BigInt(blocks); number += 1n) {
        const input = history.block(number, model.state.at(number - 1n));
        const parent = model.chain.hashOf(number - 1n) ?? '';
        await model.executor.executeBatch(parent, [input], { firm: true });
        await fixture.executor.executeBatch(parent, [input], { firm: true });
        expect({ number, ...kept(fixture.chain, number) }).toEqual({ number, ...kept(model.chain, number) });
      }
    });
  });
}

function kept(chain: ChainStore, number: bigint) {
  return { refused: chain.refusedIn(number), receipts: chain.receipts(number), block: chain.block(number) };
}
