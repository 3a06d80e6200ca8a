import { includes } from '../fork.ts';
import { getPrecompiles, type Precompile } from '../precompiles/contract.ts';
import type { Address, Hash } from '../types.ts';
import type { Hooks } from './hooks.ts';
import type { MachineOptions } from './interface.ts';
import { Journal } from './journal.ts';
import { type Rules, rulesWith } from './rules.ts';
import { StateGas } from './state-gas.ts';
import type { BlockValues, Message } from './values.ts';
import { PARTS, setBig, setHex } from './words.ts';

/** Places in `Context.constants`. */
export const ORIGIN = 0;
export const GAS_PRICE = PARTS;
export const COINBASE = 2 * PARTS;
export const TIMESTAMP = 3 * PARTS;
export const NUMBER = 4 * PARTS;
/** The difficulty before Paris. */
export const PREV_RANDAO = 5 * PARTS;
export const GAS_LIMIT = 6 * PARTS;
export const CHAIN_ID = 7 * PARTS;
export const BASE_FEE = 8 * PARTS;
export const BLOB_BASE_FEE = 9 * PARTS;
export const SLOT_NUMBER = 10 * PARTS;

const ofBlocks = new WeakMap<BlockValues, Context>();

/** Transactions of one block have the same, one after another. */
export function takeContext(options: MachineOptions): Context {
  if (options.isOfMany !== true) return new Context(options);
  const known = ofBlocks.get(options.block);
  if (known?.isFree === true && known.isFor(options)) {
    known.isFree = false;
    known.hooks = options.hooks;
    return known;
  }
  const context = new Context(options);
  ofBlocks.set(options.block, context);
  return context;
}

/** State that all frames of a transaction share. */
export class Context {
  readonly options: MachineOptions;
  /** Whether the execution that has it has ended. */
  isFree = false;
  readonly rules: Rules;
  readonly journal: Journal;
  readonly stateGas = new StateGas();
  hooks: Hooks | undefined;
  readonly precompiles: ReadonlyMap<Address, Precompile>;
  readonly blockHash: (number: bigint) => Hash | undefined;
  readonly blockNumber: number;
  readonly constants = new Uint32Array(11 * PARTS);
  blobHashes: readonly Hash[] = [];

  constructor(options: MachineOptions) {
    this.options = options;
    const { fork, chainId, maxCodeBytes, block, state, hooks, blockHash } = options;
    this.rules = rulesWith(fork, maxCodeBytes);
    // Also moved ones, and not their new places: as in go-ethereum.
    this.journal = new Journal(state, getPrecompiles(fork), options.recorder);
    this.hooks = hooks;
    this.precompiles = options.precompiles ?? getPrecompiles(fork);
    this.blockHash = blockHash;
    this.blockNumber = Number(block.number);
    const { constants } = this;
    setHex(constants, COINBASE, block.coinbase);
    setBig(constants, TIMESTAMP, block.timestamp);
    setBig(constants, NUMBER, block.number);
    setBig(constants, PREV_RANDAO, includes(fork, 'paris') ? BigInt(block.prevRandao) : block.difficulty);
    setBig(constants, GAS_LIMIT, block.gasLimit);
    setBig(constants, CHAIN_ID, chainId);
    setBig(constants, BASE_FEE, block.baseFeePerGas ?? 0n);
    setBig(constants, BLOB_BASE_FEE, block.blobBaseFee ?? 0n);
    setBig(constants, SLOT_NUMBER, block.slotNumber ?? 0n);
  }

  /** Whether it is the one for these options, on its block and but for their hooks. */
  isFor({ fork, chainId, maxCodeBytes, state, blockHash, precompiles, recorder }: MachineOptions): boolean {
    const { options } = this;
    return (
      options.fork === fork &&
      options.chainId === chainId &&
      options.maxCodeBytes === maxCodeBytes &&
      options.state === state &&
      options.blockHash === blockHash &&
      options.precompiles === precompiles &&
      options.recorder === recorder
    );
  }

  begin({ from, gasPrice, blobHashes = [] }: Pick<Message, 'from' | 'gasPrice' | 'blobHashes'>): void {
    this.journal.clear();
    this.stateGas.begin(0);
    setHex(this.constants, ORIGIN, from);
    setBig(this.constants, GAS_PRICE, gasPrice);
    this.blobHashes = blobHashes;
  }
}
