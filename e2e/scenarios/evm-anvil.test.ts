import { type TestChain, type TestRpc, testChain, testRpc } from '@switchyard/evm/testing';
import { freePort } from '@switchyard/service/testing';
import fc from 'fast-check';
import { getContractAddress } from 'viem';
import { expect, test } from 'vitest';
import { type Anvil, anvilIsThere, startAnvil } from '../support/anvil.ts';
import { assemble, deploying, type Hex, type Program, program } from '../support/evm-programs.ts';
import {
  asCalls,
  asFlat,
  asOts,
  asPrestate,
  asSteps,
  callsPrecompiled,
  isFailure,
  sorted,
} from '../support/evm-traces.ts';
import { SEED } from '../support/seed.ts';

/*
 * Random contracts that call, create, borrow and destroy each other run on the embedded back end and on anvil, whose
 * interpreter has nothing in common with ours. State, receipts, traces and queries of an explorer are compared.
 */

const RUNS = 10;
const GAS_LIMIT = 60_000_000;
const FEES = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 2n };
const GAS_PRICE = 3n * 10n ** 9n;
/** Makes a contract whose code begins with 0xef, which EIP-3541 refuses. */
const BROKEN_CODE = '60ef60005360016000f3';
/** Programs of a script; targets behind them are an account, a stranger, and precompiled contracts. */
const PROGRAMS = 6;
const STRANGER: Hex = `0x${'57'.repeat(20)}`;
const PRECOMPILED: readonly Hex[] = [1, 2, 4].map((number): Hex => `0x${String(number).padStart(40, '0')}`);

interface Move {
  /** Index of one of the programs; one more creates a contract. */
  readonly target: number;
  readonly sender: number;
  readonly value: bigint;
  readonly gasLimit: bigint;
  readonly input: string;
  readonly type: 0 | 1 | 2;
}

const move: fc.Arbitrary<Move> = fc.record({
  target: fc.integer({ min: 0, max: PROGRAMS }),
  sender: fc.integer({ min: 1, max: 2 }),
  value: fc.constantFrom(0n, 0n, 7n),
  gasLimit: fc.constantFrom(60_000n, 300_000n, 1_000_000n),
  input: fc.constantFrom('', 'aabbccdd', '00000000ff'),
  type: fc.constantFrom(0 as const, 1 as const, 2 as const),
});
const script = fc.record({
  programs: fc.array(program, { minLength: PROGRAMS, maxLength: PROGRAMS }),
  init: program,
  moves: fc.array(move, { minLength: 3, maxLength: 12 }),
});

test.skipIf(!anvilIsThere())(
  'state, receipts and traces of random contracts are what anvil has',
  { timeout: 600_000 },
  async () => {
    const world = await begin();
    try {
      await fc.assert(
        fc.asyncProperty(script, ({ programs, init, moves }) => world.run(programs, init, moves)),
        { numRuns: RUNS, endOnFailure: true, seed: SEED },
      );
      await world.compareSearches();
    } finally {
      await world.end();
    }
  },
);

async function begin() {
  const chain = await testChain({ genesis: { gasLimit: GAS_LIMIT } });
  const anvil = await startAnvil(
    await freePort(),
    ...['--no-mining', '--order', 'fifo', '--hardfork', 'cancun', '--chain-id', String(chain.genesis.chainId)],
    ...['--gas-limit', String(GAS_LIMIT), '--timestamp', '1700000000', '--steps-tracing'],
  );
  const nodes: Nodes = { ours: testRpc(chain), anvil };
  return {
    async run(programs: readonly Program[], init: Program, moves: readonly Move[]): Promise<void> {
      const deployer = chain.account(0);
      const contracts = programs.map((_, index) => describeContract(deployer.address, deployer.nonce + BigInt(index)));
      const targets = [...contracts, chain.account(3).address, STRANGER, ...PRECOMPILED];
      const codes = programs.map((each) => deploying(assemble(each, targets)));
      await sequence(
        chain,
        anvil,
        codes.map((code) => deployer.sign({ ...FEES, data: bytes(code), gasLimit: 3_000_000n })),
      );
      const calls = moves.map(({ target, sender, value, gasLimit, input, type }) => {
        const account = chain.account(sender);
        const accessList = [{ address: contracts[0] ?? STRANGER, storageKeys: [`0x${'0'.repeat(64)}` as Hex] }];
        const fees = type === 2 ? FEES : { gasPrice: GAS_PRICE, ...(type === 1 && { accessList }) };
        const fields = { ...fees, value, gasLimit };
        const to = contracts[target];
        if (to !== undefined) return account.sign({ ...fields, to, data: bytes(input) });
        return account.sign({ ...fields, data: bytes(assemble(init, targets)), gasLimit: gasLimit + 60_000n });
      });
      const broken = chain.account(1).sign({ ...FEES, data: bytes(BROKEN_CODE), gasLimit: 200_000n });
      const signed = [...calls, broken];
      const { block, receipts } = await sequence(chain, anvil, signed);
      expect(block.transactions).toHaveLength(signed.length);
      const created = receipts.flatMap(({ contractAddress = [] }) => contractAddress);
      const senders = [0, 1, 2].map((index) => chain.account(index).address);
      await compareAccounts(nodes, [...targets, ...created, ...senders]);
      for (const to of contracts) await compareCall(nodes, to);
      await compareBlock(nodes, block.header.number);
      for (const [index, { hash }] of block.transactions.entries())
        await compareTraces(nodes, hash, receipts[index]?.gasUsed ?? 0n);
    },

    async compareSearches(): Promise<void> {
      for (const index of [0, 1, 2]) await compareSearch(nodes, chain.account(index).address);
    },

    end: () => anvil.stop(),
  };
}

interface Nodes {
  readonly ours: TestRpc;
  readonly anvil: Anvil;
}

/** Makes the same block on both. */
async function sequence(chain: TestChain, anvil: Anvil, transactions: readonly Uint8Array[]) {
  const made = await chain.sequence(transactions);
  const { timestamp, baseFeePerGas = 0n } = made.block.header;
  for (const raw of transactions) await anvil.call('eth_sendRawTransaction', `0x${Buffer.from(raw).toString('hex')}`);
  await anvil.call('evm_setNextBlockTimestamp', Number(timestamp));
  await anvil.call('anvil_setNextBlockBaseFeePerGas', `0x${baseFeePerGas.toString(16)}`);
  await anvil.call('evm_mine');
  return made;
}

async function compareAccounts(nodes: Nodes, addresses: readonly Hex[]): Promise<void> {
  for (const address of addresses) {
    for (const method of ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode'])
      await same(nodes, [method, address, 'latest']);
    for (const slot of ['0x0', '0x1', '0x2', '0x3']) await same(nodes, ['eth_getStorageAt', address, slot, 'latest']);
  }
}

async function compareBlock(nodes: Nodes, height: bigint): Promise<void> {
  const number = `0x${height.toString(16)}`;
  await same(nodes, ['eth_getBlockByNumber', number, true], asGeth);
  await same(nodes, ['eth_getBlockReceipts', number], asGeth);
  await same(nodes, ['eth_getLogs', { fromBlock: number, toBlock: number }], asGeth);
  await same(nodes, ['ots_getBlockDetails', Number(height)], (details) => {
    const { issuance, totalFees, block } = record(details);
    const { gasUsed, transactionCount, baseFeePerGas, transactionsRoot, receiptsRoot } = record(block);
    return { issuance, totalFees, block: { gasUsed, transactionCount, baseFeePerGas, transactionsRoot, receiptsRoot } };
  });
  // One page: Erigon and reth count pages from the end of a block, anvil from its beginning.
  await same(nodes, ['ots_getBlockTransactions', Number(height), 0, 25], (answer) => {
    const { fullblock, receipts } = record(answer);
    const hashes = list(record(fullblock).transactions).map(({ hash, input }) => ({ hash, input }));
    return { hashes, receipts: list(receipts).map(({ transactionHash, status }) => ({ transactionHash, status })) };
  });
}

/**
 * Members that are not compared: hashes of blocks and the state root, since anvil knows neither the hashes of sequencer
 * blocks nor the contract that keeps them; and members that anvil shows and go-ethereum does not.
 */
const NOT_THE_SAME = new Set([
  ...['hash', 'parentHash', 'blockHash', 'stateRoot', 'parentBeaconBlockRoot', 'mixHash', 'size', 'extraData'],
  ...['totalDifficulty', 'blobGasPrice'],
]);

/** A block, a transaction, a receipt or a log, without parts that the two nodes cannot have in common. */
function asGeth(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asGeth);
  if (typeof value !== 'object' || value === null) return value;
  const isTransaction = 'nonce' in value && 'input' in value;
  const isReceipt = 'cumulativeGasUsed' in value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !NOT_THE_SAME.has(name) || (isTransaction && name === 'hash'))
      .filter(([name]) => !(isReceipt && name === 'blockTimestamp'))
      .map(([name, each]) => [name, asGeth(each)]),
  );
}

/** Errors other than a revert are worded differently. */
async function compareCall({ ours: ownNames, anvil }: Nodes, to: Hex): Promise<void> {
  const call = { from: STRANGER, to, data: '0xaabbccdd', gas: '0x2dc6c0' };
  const getOutcome = (called: Promise<unknown>) =>
    called.then(
      (answer) => ({ answer }),
      ({ message }: Error) => ({
        failed: /^(eth_call: )?execution reverted/.exec(message)?.[0].slice(-8) ?? 'otherwise',
      }),
    );
  const outcomes = [ownNames('eth_call', call, 'latest'), anvil.call('eth_call', call, 'latest')].map(getOutcome);
  const [own, other] = await Promise.all(outcomes);
  expect({ to, ...own }).toEqual({ to, ...other });
}

/** @param gasUsed Gas of the receipt: anvil shows the sum in the block so far. */
async function compareTraces(nodes: Nodes, hash: Hex, gasUsed: bigint): Promise<void> {
  const trace = (config: object) => ['debug_traceTransaction', hash, config] as const;
  const tree = await nodes.ours(...trace({ tracer: 'callTracer' }));
  expect(record(tree).gasUsed).toBe(`0x${gasUsed.toString(16)}`);
  await same(nodes, trace({ tracer: 'callTracer', tracerConfig: { withLog: true } }), asCalls);
  // Anvil shows a self-destruction besides the only call.
  const top = (answer: unknown) => ({ ...record(asCalls(answer)), calls: [] });
  await same(nodes, trace({ tracer: 'callTracer', tracerConfig: { onlyTopCall: true } }), top);
  await same(nodes, trace({ tracer: 'prestateTracer' }), asPrestate);
  await same(nodes, trace({ tracer: 'prestateTracer', tracerConfig: { diffMode: true } }), (answer) => {
    const { pre, post } = record(answer);
    return { pre: asPrestate(pre), post: asPrestate(post) };
  });
  await same(nodes, trace({}), asSteps);
  await same(
    nodes,
    trace({ enableMemory: true, enableReturnData: true, disableStack: true, disableStorage: true }),
    asSteps,
  );
  await same(nodes, ['ots_getTransactionError', hash]);
  // The callee in calls of precompiled contracts is a matter of taste, in which anvil has several.
  if (callsPrecompiled(tree, PRECOMPILED)) return;
  await same(nodes, trace({ tracer: '4byteTracer' }), sorted);
  await same(nodes, ['trace_transaction', hash], asFlat);
  // Calls that could not begin, and reverted ones, are shown by anvil here and there and not by Erigon.
  if (isFailure(tree)) return;
  await same(nodes, ['ots_traceTransaction', hash], asOts);
}

async function compareSearch(nodes: Nodes, address: Hex): Promise<void> {
  const hashes = (answer: unknown) => {
    const { txs, firstPage, lastPage } = record(answer);
    // The newest first, as Erigon has both; anvil turns one of them round.
    return {
      hashes: list(txs)
        .map(({ hash }) => hash)
        .sort(),
      firstPage,
      lastPage,
    };
  };
  await same(nodes, ['ots_searchTransactionsBefore', address, 0, 5], hashes);
  await same(nodes, ['ots_searchTransactionsAfter', address, 0, 5], hashes);
  await same(nodes, ['ots_getTransactionBySenderAndNonce', address, 1]);
}

async function same(
  { ours: ownNames, anvil }: Nodes,
  request: readonly [method: string, ...params: unknown[]],
  comparable: (answer: unknown) => unknown = (answer) => answer,
): Promise<void> {
  const [own, other] = await Promise.all([ownNames(...request), anvil.call(...request)]);
  // Texts are compared, since a difference far inside of objects would not be printed.
  expect(inWords({ request, answer: comparable(own) })).toBe(inWords({ request, answer: comparable(other) }));
}

/** JSON with members in order of their names, so that equal values are equal text. */
function inWords(value: unknown): string {
  const inOrder = (_: string, each: unknown) =>
    typeof each !== 'object' || each === null || Array.isArray(each)
      ? each
      : Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify(value, inOrder, 1);
}

function describeContract(from: Hex, nonce: bigint): Hex {
  const [, digits = ''] = getContractAddress({ from, nonce }).toLowerCase().split('x');
  return `0x${digits}`;
}

function bytes(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex.replace(/^0x/, ''), 'hex'));
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return Object(value);
}

function list(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value : [];
}
