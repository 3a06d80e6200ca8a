import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type Fork, includes } from '@switchyard/evm-machine/fork';
import { bytesToHex } from '@switchyard/protocol/ethereum';
import { type Random, seededRandom } from '@switchyard/service/testing';
import type { TestBlock } from '../official/engine.ts';
import { nameOfFork } from '../official/fork-names.ts';
import { makeBlock } from './block.ts';
import { arithmeticPrograms, stackPrograms } from './directed.ts';
import { shortProgram } from './program.ts';
import { makeAccount, makeInput, runT8n, type T8nResult } from './t8n.ts';
import { type Draft, draftTransaction, signDraft } from './transactions.ts';
import { getWorld, type World } from './world.ts';

/*
 * Makes the state tests in `testdata/state-tests`: a call of each of many short programs, with as much gas as it takes and with one
 * less, and some transactions at random, each alone on the same state. Their results are those of go-ethereum's t8n.
 */
const { values } = parseArgs({
  options: {
    evm: { type: 'string', default: '' },
    forks: { type: 'string', default: 'cancun,prague,osaka,amsterdam' },
    worlds: { type: 'string', default: '5' },
    'write-state-tests': { type: 'boolean' },
  },
});

/** Contracts in each state; five for each kind of statement. */
const CONTRACTS = 90;
const AT_RANDOM = 40;
const AT_A_TIME = 3;

interface Case {
  readonly raw: Uint8Array;
  readonly result: T8nResult;
}

async function main(): Promise<void> {
  // The names are not checked here: t8n refuses an unknown one.
  for (const fork of values.forks.split(',') as Fork[]) {
    const tests: Record<string, unknown> = {};
    for (let number = 0; number < Number(values.worlds); number++)
      tests[`${fork} ${number}`] = await statements(seededRandom(`state test ${fork} ${number}`), fork);
    Object.assign(tests, await calls(`arithmetic ${fork}`, fork, arithmeticPrograms(seededRandom(fork), fork), true));
    // One fork is enough: the bounds of the stack are the same in all.
    if (fork === 'osaka') Object.assign(tests, await calls('stack', fork, stackPrograms(), false));
    const file = fileURLToPath(new URL(`../../../testdata/state-tests/${fork}.json.gz`, import.meta.url));
    const bytes = gzipSync(JSON.stringify(tests), { level: 9 });
    writeFileSync(file, bytes);
    console.log(`${file}: ${bytes.length} bytes`);
  }
}

/** Contracts of one statement each, of all kinds in turn. */
async function statements(random: Random, fork: Fork): Promise<object> {
  const world = getWorld(random, fork, CONTRACTS, (around, position) => shortProgram(random, around, position));
  const called = world.contracts.map((to) => plainCall(draftTransaction(random, world, to), world));
  return stateTest(random, world, [
    ...called,
    ...Array.from({ length: AT_RANDOM }, () => draftTransaction(random, world)),
  ]);
}

/** A call of each of these programs. t8n reads the whole state for each, so it is divided. */
async function calls(name: string, fork: Fork, programs: readonly Uint8Array[], isTight: boolean) {
  const tests: Record<string, unknown> = {};
  for (let at = 0; at < programs.length; at += CONTRACTS) {
    const random = seededRandom(`${name} ${at}`);
    const some = programs.slice(at, at + CONTRACTS);
    const world = getWorld(random, fork, some.length, (_, position) => some[position] ?? new Uint8Array());
    const drafts = world.contracts.map((to) => plainCall(draftTransaction(random, world, to), world));
    tests[`${name} ${at}`] = await stateTest(random, world, drafts, isTight);
  }
  return tests;
}

async function stateTest(random: Random, world: World, drafts: readonly Draft[], isTight = true): Promise<object> {
  const block = { ...makeBlock(random, world.around.fork), gasLimit: 100_000_000n };
  const cases: Case[] = [];
  const waiting = [...drafts].reverse();
  const work = async (): Promise<void> => {
    for (let draft = waiting.pop(); draft !== undefined; draft = waiting.pop())
      for (const each of isTight ? await getCases(draft, block, world) : [await getCase(draft, block, world)])
        cases.push(each);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  // The file is the same for any order of execution.
  cases.sort((left, right) => Buffer.compare(left.raw, right.raw));
  return makeTest(block, world, cases);
}

/** With enough gas, by a sender who can pay. */
function plainCall(draft: Draft, { around: { fork } }: World): Draft {
  const gasLimit = includes(fork, 'amsterdam') ? 1_000_000n : 200_000n;
  return { ...draft, nonceOffset: 0n, fields: { ...draft.fields, gasLimit, value: 0n } };
}

/** The transaction; if nothing is given back, also with exactly the gas that it uses, and with one less. */
async function getCases(draft: Draft, block: TestBlock, world: World): Promise<Case[]> {
  const first = await getCase(draft, block, world);
  const [receipt] = first.result.receipts;
  if (receipt === undefined || receipt.gasUsed >= (draft.fields.gasLimit ?? 0n) || receipt.status === 0n)
    return [first];
  const tight = [receipt.gasUsed, receipt.gasUsed - 1n].map((gasLimit) =>
    getCase({ ...draft, fields: { ...draft.fields, gasLimit } }, block, world),
  );
  return [first, ...(await Promise.all(tight))];
}

async function getCase(draft: Draft, block: TestBlock, world: World): Promise<Case> {
  const raw = signDraft(draft, 0n);
  return { raw, result: await runT8n(values.evm, block, world.alloc, [raw]) };
}

function makeTest(block: TestBlock, world: World, cases: readonly Case[]): object {
  // The part of `env` that is also in state tests.
  const { env } = makeInput(block, world.alloc, []) as { env: Record<string, unknown> };
  const { blockHashes: _, withdrawals: __, parentBeaconBlockRoot: ___, ...environment } = env;
  return {
    env: environment,
    pre: Object.fromEntries([...world.alloc].map(([address, each]) => [address, makeAccount(each)])),
    transaction: {},
    config: { chainid: `0x${block.chainId.toString(16)}` },
    post: {
      [nameOfFork(block.fork)]: cases.map(({ raw, result }, index) => ({
        indexes: { data: index, gas: 0, value: 0 },
        hash: result.stateRoot,
        logs: result.logsHash,
        txbytes: bytesToHex(raw),
        ...(result.rejected[0] === undefined ? {} : { expectException: result.rejected[0].error }),
      })),
    },
  };
}

await main();
