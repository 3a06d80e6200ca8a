import { join } from 'node:path';
import { rollup } from '@switchyard/network';
import { simulate, type TransactionFacts } from '@switchyard/network/simulate';
import { createSigner, fromHex, type Signer } from '@switchyard/protocol';
import { rollupFields, startRollup } from '@switchyard/rollup';
import { describe, expect, test } from 'vitest';
import { MUTANTS } from '../simulate/mutants.ts';
import { root, run } from '../support/network.ts';

const dist = join(root, 'e2e', 'dist', 'simulate');
const MORE_SEEDS = Array.from({ length: 80 }, (_, index) => index + 1);
const LIMIT_MS = 180_000;

async function simulated(seeds: readonly number[], { program = process.execPath, mutant = '' } = {}) {
  const before = mutant === '' ? [] : ['--import', join(dist, 'plant.js')];
  const args = [...before, join(dist, 'one.js'), ...seeds.map(String)];
  const { status, stdout, stderr } = await run(program, args, { SWITCHYARD_MUTANT: mutant });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout);
}

describe('planted defects', () => {
  test.each(MUTANTS)(
    '$name is found',
    async ({ name, seed, rules }) => {
      const found = await simulated([seed, ...MORE_SEEDS], { mutant: name });
      expect(rules.filter((rule) => found.rules?.includes(rule))).not.toEqual([]);
    },
    LIMIT_MS,
  );

  test(
    'the seeds that find them hold without them',
    async () => {
      const seeds = [...new Set(MUTANTS.map(({ seed }) => seed))];
      expect(await simulated(seeds)).toEqual({ traces: seeds.map(() => expect.stringMatching(/^[0-9a-f]{64}$/)) });
    },
    LIMIT_MS,
  );
});

test(
  'a seed does the same on other versions of Node',
  async ({ skip }) => {
    const newerNode = process.env.SWITCHYARD_NEWER_NODE ?? '';
    if (newerNode === '') skip('SWITCHYARD_NEWER_NODE names no other Node');
    const seeds = [11, 12, 13];
    expect(await simulated(seeds, { program: newerNode })).toEqual(await simulated(seeds));
  },
  LIMIT_MS,
);

/** The example, which is compiled on its own. */
interface Counter {
  readonly counter: (
    genesis: unknown,
  ) => Parameters<typeof startRollup>[0] extends (...args: never[]) => infer R ? R : never;
  readonly parseGenesis: (
    text: string,
    file: string,
  ) => { readonly rollupName: string; readonly sequencerChainId: string };
  readonly signAdd: (add: { nonce: number; chainId: string; amount: bigint }, signer: Signer) => Uint8Array;
}

async function counterExample(): Promise<Counter> {
  const source = (name: string) => import(join(root, 'examples', 'counter', 'src', name));
  const [{ counter }, { parseGenesis }, { signAdd }] = await Promise.all(
    ['counter.ts', 'genesis.ts', 'transaction.ts'].map(source),
  );
  return { counter, parseGenesis, signAdd };
}

test(
  "a reader's rollup holds under all faults",
  async () => {
    const { counter, parseGenesis, signAdd } = await counterExample();
    const START = 100n;
    let added = 0n;
    const own = rollup({
      name: 'counter',
      process: {
        name: 'counter',
        fields: rollupFields,
        async main(config, context) {
          await startRollup((text, file) => counter(parseGenesis(text, file)), config, context);
        },
      },
      genesis: ({ rollupName, chainId }) =>
        JSON.stringify({
          ...{ rollup_name: rollupName, sequencer_chain_id: chainId, start: Number(START) },
          ...{
            sequencer_genesis_block_height: 0,
            da_genesis_block_height: 0,
            da_block_variance: 0,
            canonical_transactions: true,
          },
        }),
      parseGenesis,
    });
    const workload = {
      transaction({ account, nonce, chainId, chance }: TransactionFacts) {
        const amount = BigInt(chance.integer(1, 9));
        added += amount;
        return signAdd({ nonce, chainId, amount }, createSigner(fromHex(account.key)));
      },
      async check(client: { get(path: string): Promise<{ at(key: string): { text(): string } }> }) {
        const total = BigInt((await client.get('/v1/total')).at('total').text());
        const most = START + added;
        added = 0n;
        // The last of an account may have been given up before it was taken.
        return total <= most && total > START ? [] : [`the total is ${total}, expected at most ${most}`];
      },
    };
    const results = await simulate(own, { seeds: 5, heights: 40, workload });
    expect(results.map(({ acknowledged }) => acknowledged > 0)).toEqual([true, true, true, true, true]);
  },
  LIMIT_MS,
);
