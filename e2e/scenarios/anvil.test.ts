import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestAccount, type TestRpc, testChain, testRpc } from '@switchyard/evm/testing';
import { freePort } from '@switchyard/service/testing';
import fc from 'fast-check';
import solc from 'solc';
import { type Abi, concat, encodeFunctionData, type Hex, hexToBytes, isHex, keccak256, toHex } from 'viem';
import { expect, test } from 'vitest';
import { type Anvil, anvilIsThere, startAnvil } from '../support/anvil.ts';
import { root } from '../support/network.ts';
import { SEED } from '../support/seed.ts';

/*
 * Sends the same signed transactions to the embedded back end and to anvil, which share nothing but the
 * specification. What JSON-RPC shows of blocks, transactions, receipts, logs, accounts and calls is compared.
 */

const { abi, code } = playground();
/** Neither has a private key, and the second is a precompile. */
const STRANGER: Hex = `0x${'57'.repeat(20)}`;
const IDENTITY: Hex = `0x${'0'.repeat(39)}4`;
const GWEI = 10n ** 9n;
const RUNS = 8;

/** One transaction: what is called with what, and how. */
interface Move {
  readonly sender: number;
  /** Undefined: a plain transfer, or a creation. */
  readonly call: readonly [name: string, ...args: readonly unknown[]] | 'transfer' | 'create' | 'broken code';
  readonly value: bigint;
  readonly type: 0 | 1 | 2;
  /** Whether the call gets as much gas as it may need. */
  readonly gas: 'enough' | 'little';
}

const number = fc.integer({ min: 0, max: 9 }).map(BigInt);
const someone = fc.constantFrom(STRANGER, IDENTITY);
const call = fc.oneof(
  fc.constantFrom('transfer' as const, 'create' as const, 'broken code' as const),
  fc.tuple(fc.constant('put'), number, number),
  fc.tuple(fc.constant('say'), number, fc.constantFrom(0n, 1n, 33n)),
  fc.tuple(fc.constantFrom('fail', 'nested', 'passing'), number),
  fc.tuple(fc.constant('burn'), fc.constantFrom(1n, 20n)),
  fc.tuple(fc.constantFrom('pay', 'makeAndEnd'), someone),
  fc.tuple(
    fc.constant('make'),
    number.map((salt) => toHex(salt, { size: 32 })),
    fc.boolean(),
  ),
  fc.tuple(fc.constant('end'), number, someone),
  fc.tuple(fc.constant('look')),
  fc.tuple(
    fc.constant('precompiled'),
    fc.uint8Array({ maxLength: 80 }).map((bytes) => toHex(bytes)),
  ),
);
const move: fc.Arbitrary<Move> = fc.record({
  sender: fc.integer({ min: 0, max: 2 }),
  call,
  value: fc.constantFrom(0n, 0n, 1n, 10n ** 17n),
  type: fc.constantFrom(0, 1, 2),
  gas: fc.constantFrom('enough', 'enough', 'enough', 'little'),
});
const script = fc.array(fc.array(move, { maxLength: 8 }), { minLength: 2, maxLength: 5 });

test.skipIf(!anvilIsThere())(
  'state, receipts and calls are what anvil has after random scripts',
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(script, async (blocks) => {
        const world = await begin();
        try {
          await world.block([{ sender: 0, call: 'create', value: 5n * 10n ** 18n, type: 2, gas: 'enough' }]);
          for (const moves of blocks) await world.block(moves);
          await world.compareAccounts();
          await world.compareCalls();
        } finally {
          await world.end();
        }
      }),
      { numRuns: RUNS, endOnFailure: true, seed: SEED },
    );
  },
);

async function begin() {
  const chain = await testChain();
  const ours = testRpc(chain);
  const anvil = await startAnvil(
    await freePort(),
    ...['--no-mining', '--order', 'fifo', '--hardfork', 'cancun', '--chain-id', String(chain.genesis.chainId)],
    ...['--gas-limit', String(chain.genesis.gasLimit), '--timestamp', '1700000000', '--steps-tracing'],
  );
  const playgrounds: Hex[] = [];
  const created = new Set<Hex>();

  return {
    async block(moves: readonly Move[]): Promise<void> {
      const target = playgrounds[0] ?? STRANGER;
      const signed = moves.map((each) => sign(chain.account(each.sender), each, target));
      const { block, receipts } = await chain.sequence(signed);
      expect(block.transactions).toHaveLength(moves.length);
      for (const { contractAddress } of receipts) if (contractAddress !== undefined) created.add(contractAddress);
      const [first] = receipts;
      if (playgrounds.length === 0 && first?.contractAddress !== undefined) playgrounds.push(first.contractAddress);

      for (const raw of signed) await anvil.call('eth_sendRawTransaction', toHex(raw));
      const { timestamp, baseFeePerGas = 0n, number: height } = block.header;
      await anvil.call('evm_setNextBlockTimestamp', Number(timestamp));
      await anvil.call('anvil_setNextBlockBaseFeePerGas', toHex(baseFeePerGas));
      await anvil.call('evm_mine');
      await compareBlock(ours, anvil, toHex(height));
      for (const { hash } of block.transactions) await compareTraces(ours, anvil, hash);
    },

    async compareAccounts(): Promise<void> {
      const [target] = playgrounds;
      const children = await Promise.all(
        [0n, 1n, 2n].map((at) => attempt(ours, 'eth_call', { to: target, data: data('children', at) }, 'latest')),
      );
      for (const child of children) {
        if (isHex(child) && child.length === 66) created.add(`0x${child.slice(26)}`);
      }
      const senders = chain.accounts.map(({ address }) => address);
      for (const address of [...senders, ...created, STRANGER, IDENTITY, ZERO_ADDRESS]) {
        const [own, other] = await both(ours, anvil, 'eth_getProof', address, [], 'latest');
        expect({ address, ...accountOf(own) }).toEqual({ address, ...accountOf(other) });
        await same(ours, anvil, 'eth_getCode', address, 'latest');
      }
      for (const slot of SLOTS) await same(ours, anvil, 'eth_getStorageAt', target, slot, 'latest');
    },

    async compareCalls(): Promise<void> {
      const [to] = playgrounds;
      for (const name of ['total', 'look', 'fail', 'nested']) {
        const wanted = { from: STRANGER, to, data: name === 'total' || name === 'look' ? data(name) : data(name, 5n) };
        const [own, other] = await both(ours, anvil, 'eth_call', wanted, 'latest');
        expect({ name, ...outcomeOf(own) }).toEqual({ name, ...outcomeOf(other) });
      }
    },

    end: () => anvil.stop(),
  };
}

const ZERO_ADDRESS: Hex = `0x${'0'.repeat(40)}`;

function sign(account: TestAccount, { call: what, value, type, gas }: Move, target: Hex): Uint8Array {
  const fees =
    type === 2
      ? { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: 2n }
      : {
          gasPrice: 3n * GWEI,
          ...(type === 1 ? { accessList: [{ address: target, storageKeys: [toHex(2, { size: 32 })] }] } : {}),
        };
  const gasLimit = gas === 'enough' ? 3_000_000n : 60_000n;
  switch (what) {
    case 'transfer':
      return account.sign({ ...fees, to: STRANGER, value, gasLimit: 60_000n });
    case 'create':
      return account.sign({
        ...fees,
        data: hexToBytes(code),
        value,
        gasLimit: gas === 'enough' ? 5_000_000n : 500_000n,
      });
    case 'broken code':
      return account.sign({
        ...fees,
        data: Uint8Array.of(0x60, 0xef, 0x60, 0x00, 0x53, 0x60, 0x01, 0x60, 0x00, 0xf3),
        gasLimit: 200_000n,
      });
    default: {
      const [name, ...args] = what;
      return account.sign({ ...fees, to: target, data: hexToBytes(data(name, ...args)), value, gasLimit });
    }
  }
}

function data(name: string, ...args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi, functionName: name, args });
}

async function compareBlock(ours: TestRpc, anvil: Anvil, height: Hex): Promise<void> {
  await same(ours, anvil, 'eth_getBlockByNumber', height, true);
  await same(ours, anvil, 'eth_getBlockReceipts', height);
  await same(ours, anvil, 'eth_getLogs', { fromBlock: height, toBlock: height });
}

async function compareTraces(ours: TestRpc, anvil: Anvil, hash: Hex): Promise<void> {
  const traced = (options: object) => both(ours, anvil, 'debug_traceTransaction', hash, options);
  const [ownCalls, otherCalls] = await traced({ tracer: 'callTracer', tracerConfig: { withLog: true } });
  expect({ hash, ...insideOf(ownCalls) }).toEqual({ hash, ...insideOf(otherCalls) });
  const [ownSteps, otherSteps] = await traced({});
  expect({ hash, steps: stepsOf(ownSteps) }).toEqual({ hash, steps: stepsOf(otherSteps) });
}

/** The outer frame has other gas in anvil: it begins after the intrinsic gas, and what was used is of the whole block. */
function insideOf(frame: unknown): object {
  const { gas, gasUsed, ...rest } = inOurWords(frame) as Record<string, unknown>;
  return rest;
}

/** Some failures are worded differently by one of the two. */
function inOurWords(frame: unknown): unknown {
  const { error, calls, ...rest } = frame as { error?: string; calls?: unknown[] };
  const failure = error
    ?.replace('CreateContractStartingWithEF', 'invalid code: must not begin with 0xef')
    .replace('CreateCollision', 'contract address collision')
    .replace(/^out of gas: .*|^contract creation code storage out of gas$/, 'out of gas');
  return { ...rest, error: failure, calls: calls?.map(inOurWords) };
}

/**
 * A step as go-ethereum has it. Anvil adds the gas of the new contract to the cost of creating it, and shows the gas that
 * was left as the cost of a step for which it was not enough.
 */
function stepsOf(trace: unknown): readonly string[] {
  const { structLogs } = trace as { structLogs: Record<string, unknown>[] };
  return structLogs.map(({ pc, op, gas, gasCost, depth, stack }) => {
    const cost = op === 'CREATE' || op === 'CREATE2' ? undefined : Math.min(Number(gasCost), Number(gas));
    return JSON.stringify({ pc, op, gas, cost, depth, stack });
  });
}

async function same(ours: TestRpc, anvil: Anvil, method: string, ...params: readonly unknown[]): Promise<void> {
  const [own, other] = await both(ours, anvil, method, ...params);
  expect({ method, params, answer: comparable(own) }).toEqual({ method, params, answer: comparable(other) });
}

function both(ours: TestRpc, anvil: Anvil, method: string, ...params: readonly unknown[]): Promise<[unknown, unknown]> {
  return Promise.all([attempt(ours, method, ...params), attempt(anvil.call, method, ...params)]);
}

function attempt(rpc: TestRpc, method: string, ...params: readonly unknown[]): Promise<unknown> {
  return rpc(method, ...params).catch((error: unknown) => ({ error }));
}

/**
 * Members that are not compared: hashes of blocks and the state root, since anvil knows neither the hashes of sequencer
 * blocks nor the contract that keeps them; and those that anvil shows and go-ethereum does not.
 */
const NOT_THE_SAME = new Set([
  ...['hash', 'parentHash', 'blockHash', 'stateRoot', 'parentBeaconBlockRoot', 'mixHash', 'size', 'extraData'],
  ...['totalDifficulty', 'blobGasPrice'],
]);

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  const isTransaction = 'nonce' in value && 'input' in value;
  const isReceipt = 'cumulativeGasUsed' in value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !NOT_THE_SAME.has(name) || (isTransaction && name === 'hash'))
      .filter(([name]) => !(isReceipt && name === 'blockTimestamp'))
      .map(([name, each]) => [name, comparable(each)]),
  );
}

/** The account in a proof. Roots are left out: anvil keeps slots in its tries that were set to zero. */
function accountOf(proof: unknown): object {
  const { balance, nonce, codeHash } = proof as Record<string, unknown>;
  return { balance, nonce, codeHash };
}

/** The slots of `total`, of the list of children, and of all members of `slots` that a script can write. */
const SLOTS: readonly Hex[] = [
  ...[1n, 2n].map((at) => toHex(at, { size: 32 })),
  ...[...Array(120).keys()].map((key) => keccak256(concat([toHex(key, { size: 32 }), toHex(0, { size: 32 })]))),
];

function outcomeOf(answer: unknown): object {
  if (typeof answer !== 'object' || answer === null || !('error' in answer)) return { answer };
  const { message } = answer.error as Error;
  return { failed: message.replace(/^eth_call: /, '').slice(0, 18) };
}

function playground(): { readonly abi: Abi; readonly code: Hex } {
  const input = {
    language: 'Solidity',
    sources: { playground: { content: readFileSync(join(root, 'e2e', 'support', 'playground.sol'), 'utf8') } },
    settings: {
      evmVersion: 'cancun',
      optimizer: { enabled: true },
      outputSelection: { playground: { Playground: ['abi', 'evm.bytecode.object'] } },
    },
  };
  const { contracts, errors = [] } = JSON.parse(solc.compile(JSON.stringify(input)));
  const made = contracts?.playground?.Playground;
  if (made === undefined)
    throw new Error(errors.map(({ formattedMessage }: { formattedMessage: string }) => formattedMessage).join('\n'));
  return { abi: made.abi, code: `0x${made.evm.bytecode.object}` };
}
