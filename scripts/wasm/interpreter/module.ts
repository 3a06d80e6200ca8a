import type { Fork } from '../../../packages/evm-machine/src/fork.ts';
import {
  CODE_AT,
  HEADER,
  HEADER_AT,
  ROOM_BYTES,
  ROOMS,
} from '../../../packages/evm-machine/src/interpreter/fast/layout.ts';
import { keccakFunction } from '../keccak.ts';
import { wasmModule, wat } from '../text.ts';
import { type Fast, LOCALS } from './assembly.ts';
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
  return wasmModule('run', PAGES, [runFunction(boundsIn(fork)), keccakFunction()]);
}

function runFunction(boundsByOpcode: ReadonlyMap<number, Bounds>): string {
  const known = FAST.flatMap((fast) => {
    const bounds = boundsByOpcode.get(fast.opcode);
    const label = `$opcode_${fast.opcode.toString(16)}`;
    return bounds === undefined ? [] : [{ ...fast, ...bounds, label }];
  });
  const labels = new Map(known.map(({ opcode, label }) => [opcode, label]));
  const targets = Array.from({ length: 256 }, (_, opcode) => labels.get(opcode) ?? '$exit');
  const dispatch = wat`
    (br_table ${targets.join(' ')} $exit
      (i32.load8_u offset=${CODE_AT} (local.get $pc)))`;
  // A branch to the label of an instruction ends its block, and the handler follows.
  const handlers = known.reduce(
    (before, fast) => wat`(block ${fast.label} ${before})
      ${handler(fast)}`,
    dispatch,
  );
  return wat`(func $run (param $room i32)
    ${LOCALS}
    (local.set $pc (i32.add ${load(HEADER.pc)} (local.get $room)))
    (local.set $depth ${load(HEADER.depth)})
    (local.set $gas ${load(HEADER.gas)})
    (local.set $reach ${load(HEADER.reach)})
    (local.set $length ${load(HEADER.length)})
    (loop $next
      (block $exit
        ${handlers}))
    ${store(HEADER.pc, '(i32.sub (local.get $pc) (local.get $room))')}
    ${store(HEADER.depth, '(local.get $depth)')}
    ${store(HEADER.gas, '(local.get $gas)')})`;
}

const WORD_BYTES = 32;
const MOST_BYTES = 1_024 * WORD_BYTES;

/** Checks, pays, does, and continues with the next. */
function handler({ body, bytes, gas, least, most }: Fast & Bounds): string {
  const leastBytes = least * WORD_BYTES;
  const mostBytes = most * WORD_BYTES;
  const exitIfDepth = (comparison: 'lt_u' | 'gt_u', depth: number) =>
    `(br_if $exit (i32.${comparison} (local.get $depth) (i32.const ${depth})))`;
  return wat`
    (br_if $exit (i32.lt_s (local.get $gas) (i32.const ${gas})))
    ${leastBytes > 0 ? exitIfDepth('lt_u', leastBytes) : ''}
    ${mostBytes < MOST_BYTES ? exitIfDepth('gt_u', mostBytes) : ''}
    (local.set $top (i32.add (local.get $room) (local.get $depth)))
    ${body}
    (local.set $gas (i32.sub (local.get $gas) (i32.const ${gas})))
    ${bytes > 0 ? `(local.set $pc (i32.add (local.get $pc) (i32.const ${bytes})))` : ''}
    (br $next)`;
}

const BYTES_OF_NUMBER = 4;

function load(place: number): string {
  return `(i32.load offset=${HEADER_AT + BYTES_OF_NUMBER * place} (local.get $room))`;
}

function store(place: number, value: string): string {
  return `(i32.store offset=${HEADER_AT + BYTES_OF_NUMBER * place} (local.get $room) ${value})`;
}
