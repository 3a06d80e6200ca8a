import { isDeepStrictEqual } from 'node:util';
import { createBlock } from '@ethereumjs/block';
import { createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common';
import { createEVM, type EVMOpts, type EVMResult, getActivePrecompiles } from '@ethereumjs/evm';
import { createAddressFromString } from '@ethereumjs/util';
import { bytesToHex, hexToBytes, toWord } from '@switchyard/protocol/ethereum';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FORKS, type Fork, includes } from '../fork.ts';
import { readyPrecompiles } from '../precompiles/contract.ts';
import { StateOverlay } from '../state/overlay.ts';
import { ALICE, BOB, COINBASE, stateWith } from '../testing.ts';
import type { Data, Hash } from '../types.ts';
import { execute } from './execute.ts';
import type { Step } from './hooks.ts';
import { computeIntrinsicGas } from './intrinsic.ts';
import { getRules } from './rules.ts';
import { LibraryState } from './testing/library-state.suite.ts';
import { CALLED, programs, RETURNS } from './testing/programs.suite.ts';
import type { BlockValues, Message, Outcome } from './values.ts';

/*
 * Each instruction on random stacks, memory and state, here and in EthereumJS: stack and memory before
 * each step, gas, logs, refunds, and the final state have to be the same.
 */

/** Programs for each fork, new ones in each run of the suite; with those of the forks around it, every instruction several times. */
const RUNS = 30;
const CHAIN_ID = 1_337n;
const STOP = 0x00;
const DATA = hexToBytes(`0x${'00'.repeat(12)}${RETURNS.slice(2)}${'7b'.repeat(37)}`);

const MESSAGE: Message = {
  from: ALICE,
  to: BOB,
  nonce: 3n,
  gasLimit: 400_000n,
  gasPrice: 0n,
  value: 2n,
  data: DATA,
  accessList: [],
};

const blockHash = (number: bigint): Hash => toWord(number * 3n);

function makeBlock(fork: Fork): BlockValues {
  return {
    number: 700n,
    timestamp: 1_700_000_000n,
    gasLimit: 30_000_000n,
    coinbase: COINBASE,
    difficulty: includes(fork, 'paris') ? 0n : 131_072n,
    prevRandao: `0x${'5a'.repeat(32)}`,
    baseFeePerGas: includes(fork, 'london') ? 0n : undefined,
    blobBaseFee: includes(fork, 'cancun') ? 1n : undefined,
  };
}

function makeState(program: Data): StateOverlay {
  const bob = { code: program, balance: 1_000n, nonce: 1n };
  const state = stateWith({ ...CALLED, [ALICE]: { balance: 10n ** 18n, nonce: 3n }, [BOB]: bob });
  for (const slot of [0n, 1n, 2n]) state.putStorage(BOB, toWord(slot), 2n ** (100n * slot));
  return new StateOverlay(state);
}

interface Seen {
  readonly pc: number;
  readonly depth: number;
  readonly gas: bigint;
  readonly stack: readonly bigint[];
  readonly memory: Data;
}

/** Without zeros at its end: the library shows fewer of them than MSIZE counts. */
function written(memory: Uint8Array): Data {
  let end = memory.length;
  while (end > 0 && memory[end - 1] === 0) end -= 1;
  return bytesToHex(memory.subarray(0, end));
}

/** Changes only: rewritten but equal values are left out. */
function getChanges({ base, accounts, slots }: StateOverlay) {
  const changed: Record<string, unknown> = {};
  for (const [address, account] of accounts) {
    // Paid here only, though nothing.
    if (address === COINBASE) continue;
    const was = base.account(address);
    const { nonce, balance, codeHash } = account ?? {};
    if (was?.nonce !== nonce || was?.balance !== balance || was?.codeHash !== codeHash) {
      changed[address] = account && { nonce, balance, codeHash };
    }
  }
  for (const [address, written] of slots) {
    for (const [slot, value] of written) {
      if (base.storage(address, slot) !== value) changed[`${address} ${slot}`] = value;
    }
  }
  return changed;
}

/** Without tracing, which runs each instruction on its own. */
function untraced(fork: Fork, program: Data) {
  const state = makeState(program);
  const outcome = execute({ fork, chainId: CHAIN_ID, state, block: makeBlock(fork), blockHash }, MESSAGE).run();
  return { result: shown(outcome), changes: getChanges(state) };
}

function shown(outcome: Outcome | undefined) {
  if (outcome === undefined) throw new Error('paused without being asked to');
  const { output, gasUsed, gasPeak, logs, failure } = outcome;
  return { output: bytesToHex(output), gasUsed, gasPeak, logs, failed: failure !== undefined };
}

function awaitOwn(fork: Fork, program: Data) {
  const state = makeState(program);
  const steps: Seen[] = [];
  const failed = new Set<Seen | undefined>();
  const step = (now: Step) => {
    const { pc, depth, gas, opcode } = now;
    // At the end of code there is a STOP here, as in geth, and no step there.
    if (opcode === STOP) return;
    steps.push({
      pc,
      depth,
      gas: BigInt(gas),
      stack: now.stack(),
      memory: written(now.memory()),
    });
  };
  const stepped = (_cost: number, error: string | undefined) => {
    if (error !== undefined) failed.add(steps.at(-1));
  };
  const options = { fork, chainId: CHAIN_ID, state, block: makeBlock(fork), blockHash };
  const result = shown(execute({ ...options, hooks: { step, stepped } }, MESSAGE).run());
  return { steps, failed, result, changes: getChanges(state) };
}

/** The library reports instructions that fail only sometimes: if it does not, they are added. */
function withFailed(theirs: readonly Seen[], { steps, failed }: ReturnType<typeof awaitOwn>): Seen[] {
  let next = 0;
  return steps.flatMap((step) => {
    const other = theirs[next];
    if (failed.has(step) && !isDeepStrictEqual(step, other)) return [step];
    next += 1;
    return other === undefined ? [] : [other];
  });
}

/** EthereumJS has earlier drafts of Amsterdam's rules; go-ethereum is compared with there. */
type Compared = Exclude<Fork, 'amsterdam'>;
const COMPARED = FORKS.filter((fork): fork is Compared => fork !== 'amsterdam');

const HARDFORKS: Readonly<Record<Compared, Hardfork>> = {
  frontier: Hardfork.Chainstart,
  homestead: Hardfork.Homestead,
  tangerineWhistle: Hardfork.TangerineWhistle,
  spuriousDragon: Hardfork.SpuriousDragon,
  byzantium: Hardfork.Byzantium,
  constantinople: Hardfork.Constantinople,
  petersburg: Hardfork.Petersburg,
  istanbul: Hardfork.Istanbul,
  berlin: Hardfork.Berlin,
  london: Hardfork.London,
  paris: Hardfork.Paris,
  shanghai: Hardfork.Shanghai,
  cancun: Hardfork.Cancun,
  prague: Hardfork.Prague,
  osaka: Hardfork.Osaka,
};

/** All that the library asks of a chain. */
const chain: NonNullable<EVMOpts['blockchain']> = {
  getBlock: async (number) => ({ hash: () => hexToBytes(blockHash(BigInt(number))) }),
  putBlock: async () => undefined,
  shallowCopy: () => chain,
};

async function theirs(fork: Compared, program: Data) {
  const common = createCustomCommon({ chainId: Number(CHAIN_ID) }, Mainnet, { hardfork: HARDFORKS[fork] });
  const state = makeState(program);
  const evm = await createEVM({ common, blockchain: chain, stateManager: new LibraryState(state) });
  const rules = getRules(fork);
  const steps: Seen[] = [];
  evm.events.on('step', ({ pc, depth, gasLeft: gas, stack, memory, opcode }) => {
    if (opcode.code === STOP) return;
    steps.push({ pc, depth, gas, stack: [...stack], memory: written(memory) });
  });
  if (rules.hasAccessLists) {
    for (const digits of getActivePrecompiles(common).keys()) evm.journal.addAlwaysWarmAddress(`0x${digits}`);
    for (const address of [ALICE, BOB]) evm.journal.addAlwaysWarmAddress(address);
    if (rules.warmsCoinbase) evm.journal.addAlwaysWarmAddress(COINBASE);
  }
  const { intrinsic, floor } = computeIntrinsicGas(MESSAGE, rules);
  const ran = await evm.runCall({
    block: libraryBlock(fork, common),
    caller: createAddressFromString(ALICE),
    to: createAddressFromString(BOB),
    gasLimit: MESSAGE.gasLimit - BigInt(intrinsic),
    gasPrice: 0n,
    value: MESSAGE.value,
    data: DATA,
  });
  const { execResult } = ran;
  for (const address of execResult.selfdestruct?.keys() ?? []) {
    if (rules.destroysNewOnly && execResult.createdAddresses?.has(address) !== true) continue;
    await evm.journal.deleteAccount(createAddressFromString(address));
  }
  await evm.journal.cleanup();
  return {
    steps,
    result: makeResult(execResult, BigInt(intrinsic), BigInt(floor), BigInt(rules.refundQuotient)),
    changes: getChanges(state),
  };
}

function libraryBlock(fork: Fork, common: ReturnType<typeof createCustomCommon>) {
  const { number, timestamp, gasLimit, coinbase, difficulty, prevRandao, baseFeePerGas } = makeBlock(fork);
  const header = {
    number,
    timestamp,
    gasLimit,
    coinbase,
    difficulty,
    ...(includes(fork, 'paris') ? { mixHash: prevRandao } : {}),
  };
  const fees = baseFeePerGas === undefined ? {} : { baseFeePerGas };
  return createBlock({ header: { ...header, ...fees } }, { common, skipConsensusFormatValidation: true });
}

function makeResult(result: EVMResult['execResult'], intrinsic: bigint, floor: bigint, quotient: bigint) {
  const spent = intrinsic + result.executionGasUsed;
  const refund = result.gasRefund ?? 0n;
  const used = spent - (refund < spent / quotient ? refund : spent / quotient);
  const logs = (result.logs ?? []).map(([address, topics, data]) => {
    return { address: bytesToHex(address), topics: topics.map(bytesToHex), data };
  });
  return {
    output: bytesToHex(result.returnValue),
    gasUsed: used > floor ? used : floor,
    gasPeak: spent > floor ? spent : floor,
    logs,
    failed: result.exceptionError !== undefined,
  };
}

test.each(COMPARED)('programs do in %s what they do in EthereumJS', { timeout: 300_000 }, async (fork) => {
  await readyPrecompiles();
  await fc.assert(
    fc.asyncProperty(programs, async (program) => {
      const own = awaitOwn(fork, program);
      expect(untraced(fork, program)).toEqual({ result: own.result, changes: own.changes });
      const other = await theirs(fork, program).catch((error: unknown) => {
        // For its step events the library reserves memory that an instruction cannot pay for.
        if (error instanceof RangeError) return undefined;
        throw error;
      });
      fc.pre(other !== undefined);
      const { steps, result, changes } = other;
      expect(own.result).toEqual(result);
      expect(own.changes).toEqual(changes);
      expect(own.steps).toEqual(withFailed(steps, own));
    }),
    { numRuns: RUNS },
  );
});
