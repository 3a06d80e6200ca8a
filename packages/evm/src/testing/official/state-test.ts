import { type Fork, includes } from '@switchyard/evm-machine/fork';
import type { Hash, Log } from '@switchyard/evm-machine/types';
import { encodeRlp, hexToBytes, keccakHex, ZERO_HASH } from '@switchyard/protocol/ethereum';
import { type Input, list, object, optional, type Read, shortText } from '@switchyard/service/input';
import { blobGasPrice } from '../../blocks/blob-fees.ts';
import { logItems } from '../../blocks/receipt.ts';
import { readAlloc } from '../../genesis/genesis.ts';
import { addressText, dataText, uint, wordText } from '../../genesis/values.ts';
import { BlockGas } from '../../rules/block-gas.ts';
import { seal } from '../../state/seal.ts';
import { genesisState, type SealedState, StateOverlay } from '../../state/store.ts';
import { credit } from '../../transactions/accounts.ts';
import { openEngine, TESTED_FORKS, type TestBlock } from './engine.ts';
import { forkNamed } from './fork-names.ts';
import type { Verdict } from './verdict.ts';

/* State tests of the Ethereum project: a state, a transaction, and the result of both in each fork. */

const MAX_DATA_BYTES = 16_777_216;
const whole: Read<number> = (input) => input.integer();

const readEnvironment = object({
  currentCoinbase: addressText,
  currentDifficulty: optional(uint(256), 0n),
  currentGasLimit: uint(64),
  currentNumber: uint(64),
  currentTimestamp: uint(64),
  currentRandom: optional(wordText, ZERO_HASH),
  currentBaseFee: optional(uint(256), 10n),
  currentExcessBlobGas: optional(uint(64), 0n),
  currentSlotNumber: optional(uint(64), 0n),
  slotNumber: optional(uint(64)),
});

const readPost = object({
  hash: wordText,
  logs: wordText,
  txbytes: dataText(MAX_DATA_BYTES),
  expectException: optional(shortText(1_000)),
  indexes: object({ data: whole, gas: whole, value: whole }),
});

type Environment = ReturnType<typeof readEnvironment>;
type Post = ReturnType<typeof readPost>;

const readTest = object({ env: readEnvironment, pre: readAlloc, post: (input) => input, config: (input) => input });

/** Whether the members of a file are state tests. */
export function isStateTest(test: Input): boolean {
  return test.isObject && test.at('post').isObject && test.at('env').isPresent && test.at('transaction').isPresent;
}

/** Runs every case of a test. @throws {InvalidData} if it is not of the format. */
export async function runStateTest(name: string, test: Input, chosenFork: string | undefined): Promise<Verdict[]> {
  const { env, pre, post, config } = readTest(test);
  const alloc = [...pre].map(
    ([address, account]) => [address, { ...account, code: hexToBytes(account.code) }] as const,
  );
  const verdicts: Verdict[] = [];
  let state: SealedState | undefined;
  for (const [fork, cases] of post.members()) {
    if (chosenFork !== undefined && fork !== chosenFork) continue;
    const block = findBlock(fork, env, config);
    for (const each of list(readPost)(cases)) {
      const { data, gas, value } = each.indexes;
      const at = { name: `${name} d${data}g${gas}v${value}`, fork };
      if (block === undefined) verdicts.push({ ...at, result: 'left out', detail: `fork ${fork}` });
      else {
        state ??= genesisState(new Map(alloc));
        verdicts.push({ ...at, ...(await runCase(block, state, each)) });
      }
    }
  }
  return verdicts;
}

async function runCase(block: TestBlock, pre: SealedState, expected: Post): Promise<Omit<Verdict, 'name' | 'fork'>> {
  const state = new StateOverlay(pre);
  const applied = await openEngine(block, state).apply(
    hexToBytes(expected.txbytes),
    new BlockGas(block.fork, block.gasLimit),
  );
  if (applied.kind === 'not taken') return { result: 'left out', detail: applied.reason };
  touchCoinbase(block, state);
  const wanted = expected.expectException;
  const logs = applied.kind === 'applied' ? applied.logs : [];
  const outcome = applied.kind === 'applied' ? `gas ${applied.gasUsed}, status ${applied.status}` : applied.reason;
  // Only older tests have the reward for a block without transactions.
  const isUntouched = applied.kind === 'refused' && pre.root === expected.hash;
  const wrong = [
    wanted === undefined && applied.kind === 'refused' ? 'refused' : undefined,
    wanted !== undefined && applied.kind === 'applied' ? `not refused (${wanted})` : undefined,
    logsHash(logs) === expected.logs ? undefined : `logs: ${logs.length} with another hash`,
    seal(state, pre).root === expected.hash || isUntouched ? undefined : 'state root',
  ].filter((each) => each !== undefined);
  return wrong.length === 0 ? { result: 'passed' } : { result: 'failed', detail: `${wrong.join(', ')}; ${outcome}` };
}

/** The tests add a reward of 0 to the maker of the block (Yellow Paper 11.3; EIP-161 removes an account that is empty then). */
function touchCoinbase({ fork, coinbase }: TestBlock, state: StateOverlay): void {
  const isThere = state.account(coinbase) !== undefined;
  if (includes(fork, 'spuriousDragon')) credit(state, coinbase, 0n);
  else if (!isThere) {
    credit(state, coinbase, 1n);
    const account = state.account(coinbase);
    if (account !== undefined) state.putAccount(coinbase, { ...account, balance: 0n });
  }
}

export function logsHash(logs: readonly Log[]): Hash {
  return keccakHex(encodeRlp(logs.map(logItems)));
}

/** Undefined if the fork is not executed. */
function findBlock(name: string, env: Environment, config: Input): TestBlock | undefined {
  const fork = forkNamed(name);
  if (fork === undefined || !TESTED_FORKS.includes(fork)) return undefined;
  const schedule = config.isObject ? config.at('blobSchedule') : config;
  const fraction = (schedule.isObject ? schedule.at(name).optional(readFraction) : undefined) ?? FRACTIONS.get(fork);
  return {
    fork,
    chainId: (config.isObject ? config.at('chainid').optional(uint(64)) : undefined) ?? 1n,
    number: env.currentNumber,
    timestamp: env.currentTimestamp,
    gasLimit: env.currentGasLimit,
    coinbase: env.currentCoinbase,
    difficulty: env.currentDifficulty,
    prevRandao: env.currentRandom,
    baseFeePerGas: includes(fork, 'london') ? env.currentBaseFee : undefined,
    blobBaseFee: fraction === undefined ? undefined : blobGasPrice(env.currentExcessBlobGas, fraction),
    slotNumber: env.slotNumber ?? env.currentSlotNumber,
    parentBeaconBlockRoot: undefined,
    // Every client's runner of these tests answers with this hash.
    blockHash: (number) => keccakHex(Buffer.from(String(number))),
  };
}

/** EIP-4844 and EIP-7691: how fast the price of blob gas moves. */
const FRACTIONS: ReadonlyMap<Fork, bigint> = new Map([
  ['cancun', 3_338_477n],
  ['prague', 5_007_716n],
  ['osaka', 5_007_716n],
  ['amsterdam', 5_007_716n],
]);

const readFraction: Read<bigint> = (input) => uint(64)(input.at('baseFeeUpdateFraction'));
