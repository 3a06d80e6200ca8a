import { FORKS, type Fork, includes } from '../fork.ts';
import * as context from './context.ts';
import { fastOpcodes } from './fast/module.ts';
import { type Frame, MAX_STACK } from './frame.ts';
import * as arithmetic from './instructions/arithmetic.ts';
import * as bits from './instructions/bits.ts';
import * as calls from './instructions/calls.ts';
import * as contracts from './instructions/contracts.ts';
import * as control from './instructions/control.ts';
import * as environment from './instructions/environment.ts';
import { log } from './instructions/logs.ts';
import * as memory from './instructions/memory.ts';
import { dup, dupn, exchange, pop, push, push0, push1, push2, swap, swapn } from './instructions/stack.ts';
import * as storage from './instructions/storage.ts';
import { getRules, type Rules } from './rules.ts';
import { PARTS } from './words.ts';

/** Works on the frame, whose stack has enough words and room, and whose static gas is paid. */
export type Run = (frame: Frame) => void;

/** Columns that the loop looks up by opcode. */
export interface Table {
  readonly fork: Fork;
  readonly run: readonly Run[];
  /** Paid before it runs. */
  readonly gas: Int32Array;
  /** Between these places the top of the stack has to be. */
  readonly least: Int32Array;
  readonly most: Int32Array;
  /** 1 if the module of fast/module.ts has the instruction. */
  readonly fast: Uint8Array;
}

/** Opcode, words that it takes and gives, static gas, its effect, and the fork that brought it. */
type Instruction = readonly [opcode: number, takes: number, gives: number, gas: number, run: Run, since?: Fork];

function instructions({ gas, hasStateGas }: Rules): Instruction[] {
  return [
    [0x00, 0, 0, 0, control.stop],
    [0x01, 2, 1, 3, arithmetic.add],
    [0x02, 2, 1, 5, arithmetic.mul],
    [0x03, 2, 1, 3, arithmetic.sub],
    [0x04, 2, 1, 5, arithmetic.div],
    [0x05, 2, 1, 5, arithmetic.sdiv],
    [0x06, 2, 1, 5, arithmetic.mod],
    [0x07, 2, 1, 5, arithmetic.smod],
    [0x08, 3, 1, 8, arithmetic.addmod],
    [0x09, 3, 1, 8, arithmetic.mulmod],
    [0x0a, 2, 1, 10, arithmetic.exp],
    [0x0b, 2, 1, 5, arithmetic.signextend],
    [0x10, 2, 1, 3, bits.lt],
    [0x11, 2, 1, 3, bits.gt],
    [0x12, 2, 1, 3, bits.slt],
    [0x13, 2, 1, 3, bits.sgt],
    [0x14, 2, 1, 3, bits.eq],
    [0x15, 1, 1, 3, arithmetic.iszero],
    [0x16, 2, 1, 3, bits.and],
    [0x17, 2, 1, 3, bits.or],
    [0x18, 2, 1, 3, bits.xor],
    [0x19, 1, 1, 3, bits.not],
    [0x1a, 2, 1, 3, bits.byte],
    [0x1b, 2, 1, 3, bits.shl, 'constantinople'],
    [0x1c, 2, 1, 3, bits.shr, 'constantinople'],
    [0x1d, 2, 1, 3, bits.sar, 'constantinople'],
    [0x1e, 1, 1, 5, bits.clz, 'osaka'],
    [0x20, 2, 1, 30, memory.keccak],
    [0x30, 0, 1, 2, environment.address],
    [0x31, 1, 1, gas.balance, environment.balance],
    [0x32, 0, 1, 2, environment.constant(context.ORIGIN)],
    [0x33, 0, 1, 2, environment.caller],
    [0x34, 0, 1, 2, environment.callvalue],
    [0x35, 1, 1, 3, environment.calldataload],
    [0x36, 0, 1, 2, environment.calldatasize],
    [0x37, 3, 0, 3, environment.calldatacopy],
    [0x38, 0, 1, 2, environment.codesize],
    [0x39, 3, 0, 3, environment.codecopy],
    [0x3a, 0, 1, 2, environment.constant(context.GAS_PRICE)],
    [0x3b, 1, 1, gas.code, environment.extcodesize],
    [0x3c, 4, 0, gas.code, environment.extcodecopy],
    [0x3d, 0, 1, 2, environment.returndatasize, 'byzantium'],
    [0x3e, 3, 0, 3, environment.returndatacopy, 'byzantium'],
    [0x3f, 1, 1, gas.codeHash, environment.extcodehash, 'constantinople'],
    [0x40, 1, 1, 20, environment.blockhash],
    [0x41, 0, 1, 2, environment.constant(context.COINBASE)],
    [0x42, 0, 1, 2, environment.constant(context.TIMESTAMP)],
    [0x43, 0, 1, 2, environment.constant(context.NUMBER)],
    [0x44, 0, 1, 2, environment.constant(context.PREV_RANDAO)],
    [0x45, 0, 1, 2, environment.constant(context.GAS_LIMIT)],
    [0x46, 0, 1, 2, environment.constant(context.CHAIN_ID), 'istanbul'],
    [0x47, 0, 1, 5, environment.selfbalance, 'istanbul'],
    [0x48, 0, 1, 2, environment.constant(context.BASE_FEE), 'london'],
    [0x49, 1, 1, 3, environment.blobhash, 'cancun'],
    [0x4a, 0, 1, 2, environment.constant(context.BLOB_BASE_FEE), 'cancun'],
    [0x4b, 0, 1, 2, environment.constant(context.SLOT_NUMBER), 'amsterdam'],
    [0x50, 1, 0, 2, pop],
    [0x51, 1, 1, 3, memory.mload],
    [0x52, 2, 0, 3, memory.mstore],
    [0x53, 2, 0, 3, memory.mstore8],
    [0x54, 1, 1, gas.sload, storage.sload],
    [0x55, 2, 0, 0, hasStateGas ? storage.sstoreWithStateGas : storage.sstore],
    [0x56, 1, 0, 8, control.jump],
    [0x57, 2, 0, 10, control.jumpi],
    [0x58, 0, 1, 2, control.pc],
    [0x59, 0, 1, 2, memory.msize],
    [0x5a, 0, 1, 2, control.gas],
    [0x5b, 0, 0, 1, control.jumpdest],
    [0x5c, 1, 1, 100, storage.tload, 'cancun'],
    [0x5d, 2, 0, 100, storage.tstore, 'cancun'],
    [0x5e, 3, 0, 3, memory.mcopy, 'cancun'],
    [0x5f, 0, 1, 2, push0, 'shanghai'],
    ...range(32, (index): Instruction => [0x60 + index, 0, 1, 3, [push1, push2][index] ?? push(index + 1)]),
    ...range(16, (index): Instruction => [0x80 + index, index + 1, index + 2, 3, dup(index + 1)]),
    ...range(16, (index): Instruction => [0x90 + index, index + 2, index + 2, 3, swap(index + 1)]),
    ...range(5, (topics): Instruction => [0xa0 + topics, 2 + topics, 0, 375 * (1 + topics), log(topics)]),
    [0xe6, 0, 1, 3, dupn, 'amsterdam'],
    [0xe7, 0, 0, 3, swapn, 'amsterdam'],
    [0xe8, 0, 0, 3, exchange, 'amsterdam'],
    [0xf0, 3, 1, gas.create, contracts.create],
    [0xf1, 7, 1, gas.call, calls.call],
    [0xf2, 7, 1, gas.call, calls.callcode],
    [0xf3, 2, 0, 0, control.returns],
    [0xf4, 6, 1, gas.call, calls.delegatecall, 'homestead'],
    [0xf5, 4, 1, gas.create, contracts.create2, 'constantinople'],
    [0xfa, 6, 1, gas.call, calls.staticcall, 'byzantium'],
    [0xfd, 2, 0, 0, control.revert, 'byzantium'],
    [0xff, 1, 0, gas.selfdestruct, contracts.selfdestruct],
  ];
}

function range(count: number, make: (index: number) => Instruction): Instruction[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

const TABLES = new Map<Fork, Table>(FORKS.map((fork) => [fork, make(fork)]));

export function getTable(fork: Fork): Table {
  const table = TABLES.get(fork);
  if (table === undefined) throw new Error(`no instructions for fork ${fork}`);
  return table;
}

function make(fork: Fork): Table {
  const run = new Array<Run>(256).fill(control.invalid);
  const gas = new Int32Array(256);
  const least = new Int32Array(256);
  const most = new Int32Array(256).fill(MAX_STACK * PARTS);
  for (const [opcode, takes, gives, cost, does, since = 'frontier'] of instructions(getRules(fork))) {
    if (!includes(fork, since)) continue;
    run[opcode] = does;
    gas[opcode] = cost;
    least[opcode] = takes * PARTS;
    most[opcode] = (MAX_STACK - Math.max(0, gives - takes)) * PARTS;
  }
  const fast = new Uint8Array(256);
  for (const opcode of fastOpcodes(fork)) fast[opcode] = 1;
  return { fork, run, gas, least, most, fast };
}
