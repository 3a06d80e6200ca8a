import { keccakFunction } from '@switchyard/protocol/keccak-module';
import {
  BLOCK_BEGIN,
  BRANCH,
  BRANCH_IF,
  BRANCH_TABLE,
  compileWasmModule,
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
} from '@switchyard/protocol/wasm';
import {
  CODE_AT,
  DEPTH,
  type Fast,
  GAS,
  HEADER,
  HEADER_AT,
  LENGTH,
  LOCALS,
  PC,
  REACH,
  ROOM,
  ROOM_BYTES,
  small,
  TOP,
} from './assembly.ts';
import { FAST } from './instructions.ts';

/*
 * A WebAssembly module that runs instructions one after another as long as nothing special happens: those that need 256
 * bits and no state. Before an instruction that it does not know, that cannot be paid for, for which the stack has too
 * few words or too many, or that goes beyond memory or to a wrong target, it ends and has changed nothing; what happens
 * then is up to the interpreter.
 */

/** Columns of a table of instructions, see table.ts. */
export interface Columns {
  readonly gas: Int32Array;
  readonly least: Int32Array;
  readonly most: Int32Array;
}

export interface FastModule {
  readonly memory: { readonly buffer: ArrayBuffer };
  /** Runs the frame whose room begins there, from where its header has it. */
  readonly run: (room: number) => void;
}

/** Rooms of a module. Frames that are deeper run without. */
export const ROOMS = 16;
/** Before the rooms is the place of Keccak. */
export const FIRST_ROOM = ROOM_BYTES;
const PAGES = ((ROOMS + 1) * ROOM_BYTES) / 65_536;

/** @returns Makes modules of the fork, each with a memory of its own. */
export function compileFastModule(columns: Columns): () => FastModule {
  const run = { name: 'run', locals: LOCALS, body: bodyOf(columns) };
  // The module exports what is written below.
  return compileWasmModule(run, PAGES, [keccakFunction()]) as () => FastModule;
}

/** Instructions of the fork. All of them cost something. */
export function isFast({ gas }: Columns, opcode: number): boolean {
  return FAST_OPCODES.has(opcode) && gas[opcode] !== 0;
}

const FAST_OPCODES = new Set(FAST.map(({ opcode }) => opcode));

function bodyOf(columns: Columns): number[] {
  const known = FAST.filter(({ opcode }) => isFast(columns, opcode));
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
    ...known.flatMap((fast, label) => [END, ...handler(fast, columns, known.length - 1 - label)]),
    ...[END, END],
    ...store(HEADER.pc, [...get(PC), ...get(ROOM), I32_SUBTRACT]),
    ...store(HEADER.depth, get(DEPTH)),
    ...store(HEADER.gas, get(GAS)),
    END,
  ];
}

const BYTES_OF_PART = 4;
const MOST_BYTES = 32_768;

/** Checks, pays, does, and continues with the next. @param exit Its label here; the one after it is that of the loop. */
function handler({ opcode, body, bytes }: Fast, { gas, least, most }: Columns, exit: number): number[] {
  const cost = small(gas[opcode] ?? 0);
  const leastBytes = (least[opcode] ?? 0) * BYTES_OF_PART;
  const mostBytes = (most[opcode] ?? 0) * BYTES_OF_PART;
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

function load(place: number): number[] {
  return [...get(ROOM), I32_LOAD, 2, ...unsigned(HEADER_AT + BYTES_OF_PART * place)];
}

function store(place: number, value: readonly number[]): number[] {
  return [...get(ROOM), ...value, I32_STORE, 2, ...unsigned(HEADER_AT + BYTES_OF_PART * place)];
}
