import {
  CODE_AT,
  HEADER,
  HEADER_AT,
  ROOM_BYTES,
  ROOMS,
} from '../../../packages/evm-machine/src/interpreter/fast/layout.ts';
import type { Fork } from '../../../packages/evm-machine/src/interpreter/fork.ts';
import { keccakFunction } from '../keccak.ts';
import {
  BLOCK_BEGIN,
  BRANCH,
  BRANCH_IF,
  BRANCH_TABLE,
  END,
  get,
  I32_ADD,
  I32_GREATER,
  I32_LESS,
  I32_LESS_SIGNED,
  I32_LOAD,
  I32_LOAD_BYTE,
  I32_STORE,
  I32_SUBTRACT,
  LOOP,
  NO_RESULT,
  set,
  unsigned,
  wasmModule,
} from '../module.ts';
import { DEPTH, type Fast, GAS, LENGTH, LOCALS, PC, REACH, ROOM, small, TOP } from './assembly.ts';
import { type Bounds, boundsIn } from './costs.ts';
import { FAST } from './instructions.ts';

/*
 * A WebAssembly module that runs instructions one after another until something special happens: instructions that need 256
 * bits and no state. Before an instruction that it does not know, that cannot be paid for, for which the stack has too
 * few words or too many, or that goes beyond memory or to a wrong target, it ends and has changed nothing; what happens
 * then is up to the interpreter.
 */

const PAGES = ((ROOMS + 1) * ROOM_BYTES) / 65_536;

/** The module of the fork. */
export function interpreterModule(fork: Fork): Uint8Array {
  return wasmModule({ name: 'run', locals: LOCALS, body: getBody(boundsIn(fork)) }, PAGES, [keccakFunction()]);
}

function getBody(boundsOf: ReadonlyMap<number, Bounds>): number[] {
  const known = FAST.flatMap((fast) => {
    const bounds = boundsOf.get(fast.opcode);
    return bounds === undefined ? [] : [{ ...fast, ...bounds }];
  });
  const labels = new Map(known.map(({ opcode }, label) => [opcode, label]));
  const exit = known.length;
  const table = Array.from({ length: 256 }, (_, opcode) => labels.get(opcode) ?? exit);
  return [
    ...load(HEADER.pc),
    ...[...get(ROOM), I32_ADD, ...set(PC)],
    ...[...load(HEADER.depth), ...set(DEPTH)],
    ...[...load(HEADER.gas), ...set(GAS)],
    ...[...load(HEADER.reach), ...set(REACH)],
    ...[...load(HEADER.length), ...set(LENGTH)],
    ...[LOOP, NO_RESULT, BLOCK_BEGIN, NO_RESULT],
    ...known.flatMap(() => [BLOCK_BEGIN, NO_RESULT]),
    ...[...get(PC), I32_LOAD_BYTE, 0, ...unsigned(CODE_AT)],
    ...[BRANCH_TABLE, ...unsigned(table.length), ...table.flatMap(unsigned), ...unsigned(exit)],
    ...known.flatMap((fast, label) => [END, ...handler(fast, known.length - 1 - label)]),
    ...[END, END],
    ...store(HEADER.pc, [...get(PC), ...get(ROOM), I32_SUBTRACT]),
    ...store(HEADER.depth, get(DEPTH)),
    ...store(HEADER.gas, get(GAS)),
    END,
  ];
}

const WORD_BYTES = 32;
const MOST_BYTES = 1_024 * WORD_BYTES;

/** Checks, pays, does, and continues with the next. @param exit Its label here; the one after it is that of the loop. */
function handler({ body, bytes, gas, least, most }: Fast & Bounds, exit: number): number[] {
  const cost = small(gas);
  const leastBytes = least * WORD_BYTES;
  const mostBytes = most * WORD_BYTES;
  const leave = [BRANCH_IF, ...unsigned(exit)];
  return [
    ...[...get(GAS), ...cost, I32_LESS_SIGNED, ...leave],
    ...(leastBytes > 0 ? [...get(DEPTH), ...small(leastBytes), I32_LESS, ...leave] : []),
    ...(mostBytes < MOST_BYTES ? [...get(DEPTH), ...small(mostBytes), I32_GREATER, ...leave] : []),
    ...[...get(ROOM), ...get(DEPTH), I32_ADD, ...set(TOP)],
    ...body(exit),
    ...[...get(GAS), ...cost, I32_SUBTRACT, ...set(GAS)],
    ...(bytes > 0 ? [...get(PC), ...small(bytes), I32_ADD, ...set(PC)] : []),
    ...[BRANCH, ...unsigned(exit + 1)],
  ];
}

const BYTES_OF_NUMBER = 4;

function load(place: number): number[] {
  return [...get(ROOM), I32_LOAD, 2, ...unsigned(HEADER_AT + BYTES_OF_NUMBER * place)];
}

function store(place: number, value: readonly number[]): number[] {
  return [...get(ROOM), ...value, I32_STORE, 2, ...unsigned(HEADER_AT + BYTES_OF_NUMBER * place)];
}
