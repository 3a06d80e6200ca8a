import { MESSAGE, STATE, WORD } from '../../packages/evm-machine/src/precompiles/blake2f-layout.ts';
import { locals, wasmModule, wat } from './text.ts';

/* The compression of BLAKE2b (RFC 7693, 3.2), because its words have 64 bits. */

/** Which words of the message each of the ten rounds mixes in. */
const SIGMA = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/** The words of the state that each of a round's eight steps mixes. */
const STEPS = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
] as const;

/** Words of the state, each in a local. */
const WORDS = Array.from({ length: 16 }, (_, word) => ({ name: `v${word}`, at: STATE + word * WORD }));

export function blake2bModule(): Uint8Array {
  const names = WORDS.map(({ name }) => name);
  const rounds = wat`(func $rounds (param $left i32)
    ${locals('i64', names)}
    ${WORDS.map(({ name, at }) => `(local.set $${name} (i64.load offset=${at} (i32.const 0)))`)}
    (block $done
      (br_if $done (i32.eqz (local.get $left)))
      (loop $next_ten
        ${SIGMA.map(round)}))
    ${WORDS.map(({ name, at }) => `(i64.store offset=${at} (i32.const 0) (local.get $${name}))`)})`;
  return wasmModule('rounds', 1, [rounds]);
}

/** A round, after which the function is done or continues with the next. */
function round(order: readonly number[], index: number): string {
  const left = '(local.tee $left (i32.sub (local.get $left) (i32.const 1)))';
  return wat`
    ${STEPS.map((words, step) => mix(words, order.slice(step * 2)))}
    ${index < SIGMA.length - 1 ? `(br_if $done (i32.eqz ${left}))` : `(br_if $next_ten ${left})`}`;
}

/** The function G (RFC 7693, 3.1) on these words. Rotations there are to the right. */
function mix([a, b, c, d]: readonly [number, number, number, number], [first = 0, second = 0]: readonly number[]) {
  const add = (to: number, from: number) => `(local.set $v${to} (i64.add (local.get $v${to}) (local.get $v${from})))`;
  const addMessage = (word: number) => wat`(local.set $v${a}
    (i64.add (i64.add (local.get $v${a}) (local.get $v${b})) (i64.load offset=${MESSAGE + word * WORD} (i32.const 0))))`;
  const turn = (to: number, from: number, bits: number) => wat`(local.set $v${to}
    (i64.rotl (i64.xor (local.get $v${to}) (local.get $v${from})) (i64.const ${64 - bits})))`;
  return wat`
    ${[addMessage(first), turn(d, a, 32), add(c, d), turn(b, c, 24)]}
    ${[addMessage(second), turn(d, a, 16), add(c, d), turn(b, c, 63)]}`;
}
