import { definedRollup, localNetwork } from '@switchyard/network';
import { createSigner, parseSeed } from '@switchyard/protocol';
import { action, defineRollup, query, single, u64 } from '@switchyard/rollup';

const total = single({ name: 'total', value: u64, absent: 0n });

const sum = defineRollup({
  name: 'sum',
  tables: [total],
  actions: {
    add: action({
      fields: { amount: u64 },
      execute: ({ amount }, { state }) => total.put(state, total.get(state) + amount),
    }),
  },
  queries: { total: query({ answer: { total: u64 }, handle: (_, { state }) => ({ total: total.get(state) }) }) },
});

const GENESIS = '{ "rollup_name": "sum", "sequencer_chain_id": "-", "canonical_transactions": true }';

/**
 * Hashes of the newest blocks of the sequencer and of the rollup after each of three blocks, with transactions of two users and a node
 * that is killed, and the total.
 */
export async function history(seed: string): Promise<readonly string[]> {
  await using network = await localNetwork({ rollups: [definedRollup(sum, GENESIS)], blocks: 'manual', seed });
  const { submit, query, rollup } = network.client<string>('sum');
  const { alice, bob } = network.accounts;
  const hashes: string[] = [];
  for (const [{ key }, amount] of [
    [alice, 5n],
    [bob, 7n],
    [alice, 11n],
  ] as const) {
    await submit.add({ amount }, createSigner(parseSeed(key)), { until: 'accepted' });
    await network.mine(1);
    const { height, hash } = await network.newestBlock();
    while ((await rollup.status()).soft < height) await new Promise((resolve) => setTimeout(resolve, 5));
    hashes.push(hash, (await rollup.block(height)).hash);
    await network.kill('sum');
    await network.start('sum');
  }
  return [...hashes, String((await query.total()).total)];
}
