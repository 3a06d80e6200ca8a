import { type Block, createBlockFromRLP } from '@ethereumjs/block';
import type { Common } from '@ethereumjs/common';
import type { EVMOpts } from '@ethereumjs/evm';
import { createVM, type RunBlockResult, runBlock, type VM } from '@ethereumjs/vm';
import { headerFromItems } from '../../blocks/header.ts';
import { decodeRlp, InvalidRlp, listOf } from '../../blocks/rlp.ts';
import type { IncludedTransaction, InternalCall, StoredBlock, StoredReceipt } from '../../chain/chain.ts';
import { contractAddress } from '../../embedded/build-block.ts';
import { shareEffects } from '../../embedded/effects.ts';
import { InternalCalls } from '../../embedded/internal-calls.ts';
import { takeTurns } from '../../embedded/turns.ts';
import { bytesOf, hexOf, ZERO_HASH } from '../../hex.ts';
import { pauseEvery, TURN_MS } from '../../pause.ts';
import { evmWithFastContracts } from '../../precompiles/evm.ts';
import type { Rules } from '../../simulate/environment.ts';
import { StatePointer } from '../../simulate/machine.ts';
import { OverlayStateManager } from '../../state/ethereumjs.ts';
import type { StateOverlay } from '../../state/overlay.ts';
import type { Hash, Header } from '../../types.ts';
import { InvalidBlock, messageOf } from './validate.ts';

export interface DecodedBlock {
  readonly header: Header;
  readonly block: Block;
  readonly uncles: readonly Header[];
}

/** @throws {InvalidBlock} for bytes that are no block of the chain's rules. */
export function decodeBlock(bytes: Uint8Array, rules: Rules): DecodedBlock {
  try {
    const [headerItems, , uncles] = listOf(decodeRlp(bytes));
    const header = headerFromItems(listOf(headerItems));
    const block = createBlockFromRLP(bytes, { common: rules(header.number, header.timestamp) });
    return { header, block, uncles: listOf(uncles).map((uncle) => headerFromItems(listOf(uncle))) };
  } catch (error) {
    if (error instanceof InvalidRlp) throw new InvalidBlock(error.message, { cause: error });
    throw new InvalidBlock(messageOf(error), { cause: error });
  }
}

export interface ExecutedArchiveBlock {
  readonly block: StoredBlock;
  readonly receipts: readonly StoredReceipt[];
  readonly internal: readonly (readonly InternalCall[] | undefined)[];
}

/** Executes blocks. An interpreter takes longer to make than most blocks to run, so there is one for each set of rules. */
export class BlockRunner {
  readonly #hashOf: (number: bigint) => Hash | undefined;
  readonly #machines = new Map<Common, Promise<Machine>>();

  /** @param hashOf Of a block before the one that runs. */
  constructor(hashOf: (number: bigint) => Hash | undefined) {
    this.#hashOf = hashOf;
  }

  /**
   * Executes a block and compares all that its header commits to: roots of state, receipts and requests,
   * logs and gas.
   *
   * @param root Of what the overlay holds now.
   * @throws {InvalidBlock} No other block can be executed then.
   */
  async run(decoded: DecodedBlock, overlay: StateOverlay, root: () => Hash): Promise<ExecutedArchiveBlock> {
    const { block } = decoded;
    const known = this.#machines.get(block.common) ?? createMachine(block.common, this.#hashOf);
    this.#machines.set(block.common, known);
    const machine = await known;
    machine.state.target = overlay;
    machine.root = root;
    machine.internal = [];
    const result = await run(machine.vm, block);
    return { block: storedBlock(decoded), receipts: storedReceipts(block, result), internal: machine.internal };
  }
}

interface Machine {
  readonly vm: VM;
  readonly state: StatePointer;
  root: () => Hash;
  /** For each transaction of the block when it has run. */
  internal: (readonly InternalCall[] | undefined)[];
}

async function createMachine(rules: Common, hashOf: (number: bigint) => Hash | undefined): Promise<Machine> {
  const state = new StatePointer();
  // An interpreter listens to its rules for ever, so they are its own.
  const parts = {
    common: rules.copy(),
    stateManager: new OverlayStateManager(state, () => machine.root()),
    blockchain: hashesOnly(hashOf),
  };
  const pause = pauseEvery(TURN_MS);
  const evm = await evmWithFastContracts(parts, pause);
  await takeTurns(evm, pause);
  await shareEffects(evm);
  const vm = await createVM({ ...parts, evm });
  const machine: Machine = { vm, state, root: () => ZERO_HASH, internal: [] };
  const calls = new InternalCalls(state);
  vm.events.on('beforeTx', () => calls.begin());
  vm.events.on('afterTx', () => machine.internal.push(calls.end()));
  vm.evm.events?.on('beforeMessage', (message) => calls.enter(message));
  vm.evm.events?.on('afterMessage', (result) => calls.leave(result));
  return machine;
}

async function run(vm: VM, block: Block): Promise<RunBlockResult> {
  try {
    // The header is validated against its parent before; here the library has no chain to ask for it.
    return await runBlock(vm, { block, skipHeaderValidation: true, skipBlockValidation: true });
  } catch (error) {
    throw new InvalidBlock(messageOf(error), { cause: error });
  }
}

/** All that the interpreter asks of a chain. */
function hashesOnly(hashOf: (number: bigint) => Hash | undefined): NonNullable<EVMOpts['blockchain']> {
  const chain: NonNullable<EVMOpts['blockchain']> = {
    getBlock: async (number) => ({ hash: () => bytesOf(hashOf(BigInt(number)) ?? ZERO_HASH) }),
    putBlock: async () => undefined,
    shallowCopy: () => chain,
  };
  return chain;
}

function storedBlock({ block, header, uncles }: DecodedBlock): StoredBlock {
  return {
    hash: hexOf(block.hash()),
    header,
    transactions: block.transactions.map((tx): IncludedTransaction => {
      return { hash: hexOf(tx.hash()), from: hexOf(tx.getSenderAddress().bytes), raw: tx.serialize() };
    }),
    withdrawals: (block.withdrawals ?? []).map(({ index, validatorIndex, address, amount }) => {
      return { index, validatorIndex, address: hexOf(address.bytes), amount };
    }),
    ...(uncles.length === 0 ? {} : { uncles }),
    size: block.serialize().length,
  };
}

/** Wei for each unit of gas. */
function priceOf(tx: Block['transactions'][number], baseFee: bigint | undefined): bigint {
  // Before London there are only transactions with a gas price.
  if (baseFee === undefined) return 'gasPrice' in tx ? tx.gasPrice : 0n;
  return baseFee + tx.getEffectivePriorityFee(baseFee);
}

function storedReceipts(block: Block, { receipts, results }: RunBlockResult): StoredReceipt[] {
  return receipts.map((receipt, index) => {
    const tx = block.transactions[index];
    const gasUsed = results[index]?.totalGasSpent;
    if (tx === undefined || gasUsed === undefined) throw new Error(`receipt ${index} has no transaction`);
    return {
      type: tx.type,
      status: 'status' in receipt && receipt.status === 0 ? 0 : 1,
      gasUsed,
      cumulativeGasUsed: receipt.cumulativeBlockGasUsed,
      effectiveGasPrice: priceOf(tx, block.header.baseFeePerGas),
      contractAddress: tx.to === undefined ? contractAddress(hexOf(tx.getSenderAddress().bytes), tx.nonce) : undefined,
      logs: receipt.logs.map(([address, topics, data]) => {
        return { address: hexOf(address), topics: topics.map((topic): Hash => hexOf(topic)), data: hexOf(data) };
      }),
      ...('stateRoot' in receipt ? { stateRoot: hexOf(receipt.stateRoot) } : {}),
    };
  });
}
