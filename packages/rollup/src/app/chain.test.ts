import { createMemoryStore } from '@switchyard/machine';
import { executorSuite } from '../execution/executor.suite.ts';
import { signSpend, tallyRollup } from '../testing/tally.ts';
import { testInput } from '../testing/test-node.ts';
import { RollupChain } from './chain.ts';

const spends = (number: number) =>
  testInput(number, [{ kind: 'sequencedData', data: signSpend({ nonce: number - 1, amount: BigInt(number) }) }]);

executorSuite('a rollup of the framework, in memory', async () => {
  const store = createMemoryStore();
  const open = () => RollupChain.open(tallyRollup(), store);
  return {
    executor: await open(),
    async reopen() {
      // Blocks that a killed process had sealed are gone with it.
      store.drop();
      return open();
    },
    input: spends,
  };
});
