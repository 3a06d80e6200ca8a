import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Fork } from '@switchyard/evm-machine/fork';
import { seededRandom } from '@switchyard/service/testing';
import { type Difference, firstDifference, makeBlock, runBlock } from './block.ts';
import { makeInput, runT8n } from './t8n.ts';
import { draftTransaction } from './transactions.ts';
import { makeWorld } from './world.ts';

/*
 * `npm run evm-random`: blocks of random transactions, executed here and by go-ethereum's `evm t8n`. State root, receipts, logs
 * and gas must be the same. Ends with status 1 if they are not; then files to repeat the block with are in `--output`.
 */
const { values } = parseArgs({
  options: {
    transactions: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    fork: { type: 'string', default: 'cancun' },
    evm: { type: 'string' },
    output: { type: 'string', default: 'evm-random-failures' },
  },
});

const COMPARED: readonly Fork[] = ['cancun', 'prague', 'osaka', 'amsterdam'];
/** A call of t8n takes as long to begin as dozens of transactions take. */
const TRANSACTIONS_PER_BLOCK = 1_000;
const CONTRACTS = 80;
/** After this many blocks that differ the rest is not worth the time. */
const MAX_FAILURES = 10;

async function main(): Promise<number> {
  const program = values.evm;
  const fork = COMPARED.find((each) => each === values.fork);
  if (program === undefined) throw new Error("--evm: expected the file of geth's `evm`, got nothing");
  if (fork === undefined) throw new Error(`--fork: expected ${COMPARED.join(', ')}, got ${values.fork}`);
  const total = Number(values.transactions);
  const started = performance.now();
  let [done, rejected, gas, failures] = [0, 0, 0n, 0];
  /** The block before: geth executes it while this process executes the next one. */
  let checking: Promise<void> = Promise.resolve();
  for (let number = 0; done < total && failures < MAX_FAILURES; number++) {
    const random = seededRandom(`${values.seed}/${number}`);
    const world = makeWorld(random, fork, CONTRACTS);
    const block = makeBlock(random, fork);
    const count = Math.min(TRANSACTIONS_PER_BLOCK, total - done);
    const drafts = Array.from({ length: count }, () => draftTransaction(random, world));
    const own = await runBlock(block, world, drafts);
    await checking;
    checking = runT8n(program, block, world.alloc, own.transactions).then((theirs) => {
      const difference = firstDifference(own, theirs);
      if (difference === undefined) return;
      failures += 1;
      report(number, difference, makeInput(block, world.alloc, own.transactions));
    });
    done += count;
    rejected += own.rejected.size;
    gas += own.gasUsed;
  }
  await checking;
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  console.log(
    `${fork}, seed ${values.seed}: ${done} transactions (${rejected} refused by both, ${gas / 1_000_000n} Mgas), ` +
      `${failures} blocks differ, in ${seconds} s`,
  );
  return failures === 0 ? 0 : 1;
}

function report(number: number, { index, what }: Difference, input: object): void {
  mkdirSync(values.output, { recursive: true });
  const file = join(values.output, `${values.fork}-${values.seed}-${number}.json`);
  writeFileSync(file, JSON.stringify(input));
  console.log(`block ${number}${index === undefined ? '' : `, transaction ${index}`}: ${what} (${file})`);
}

process.exitCode = await main();
