import { executorSuite } from '@switchyard/rollup/testing';
import { openMemoryDatabase } from '../database.ts';
import { DEV_ACCOUNTS } from '../dev-accounts.ts';
import { TestAccount, testChain, testInput } from '../testing.ts';

executorSuite('embedded EVM', async () => {
  const database = openMemoryDatabase();
  const open = async () => (await testChain({ database })).executor;
  const [rich] = DEV_ACCOUNTS;
  if (rich === undefined) throw new Error('no development account');
  return {
    executor: await open(),
    reopen: open,
    input(number) {
      const account = new TestAccount(rich, { chainId: 1337n });
      // Valid on any parent: the nonce of which is what the suite's order makes of it, so one of these always fits.
      const transfers = [0n, 1n, 2n, 3n].map((nonce) => account.transfer(account.address, BigInt(number), { nonce }));
      const input = testInput(
        BigInt(number),
        transfers.map((data) => ({ kind: 'sequencedData', data })),
      );
      return { ...input, timestamp: { seconds: BigInt(1_700_000_000 + number), nanos: 7 * number } };
    },
  };
});
