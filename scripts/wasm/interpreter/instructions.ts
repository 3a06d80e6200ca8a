import {
  CODE_AT,
  HEADER,
  HEADER_AT,
  MEMORY_AT,
  OWN_AT,
  TARGETS_AT,
} from '../../../packages/evm-machine/src/interpreter/fast/layout.ts';
import { BLOCK, HASH, INPUT } from '../../../packages/protocol/src/ethereum/keccak-layout.ts';
import { wat } from '../text.ts';
import {
  type Fast,
  LIMBS,
  load,
  move,
  OPERANDS,
  operand,
  simple,
  store,
  storeSmall,
  upperLimbs,
  vector,
} from './assembly.ts';
import { ON_DEEP_STACK } from './deep-stack.ts';
import { ON_WORDS } from './words.ts';

/** Leaves if the word in `a` is not below the number in a local. */
const exitFrom = (local: 'reach' | 'length'): string => wat`(br_if $exit (i32.or
  (i32.eqz (i64.eqz ${upperLimbs('a')}))
  (i64.ge_u (local.get $a0) (i64.extend_i32_u (local.get $${local})))))`;

/** The word in `a`, counted from the beginning of the room. */
const IN_ROOM = '(i32.add (local.get $room) (i32.wrap_i64 (local.get $a0)))';

/** For an instruction on memory, whose offset is the top word. */
const onMemory = (opcode: number, body: string): Fast =>
  simple(
    opcode,
    wat`
      ${operand(1, 'a')}
      ${exitFrom('reach')}
      (local.set $place ${IN_ROOM})
      ${body}`,
  );

/** Sixteen bytes of memory from such a place on, as a half of a word. */
const halfOfMemory = (from: number): string => vector.reversed(vector.load(MEMORY_AT + from, '(local.get $place)'));

const mload = wat`
  ${vector.store(1, 0, halfOfMemory(16))}
  ${vector.store(1, 2, halfOfMemory(0))}`;

/** The other way round. */
const storeHalf = (from: number, limb: number): string =>
  vector.storeAt(
    MEMORY_AT + from,
    '(local.get $place)',
    vector.reversed(vector.pair(load(2, limb), load(2, limb + 1))),
  );

const mstore = wat`
  ${storeHalf(16, 0)}
  ${storeHalf(0, 2)}
  ${move(-2)}`;

const mstore8 = wat`
  (i64.store8 offset=${MEMORY_AT} (local.get $place) ${load(2, 0)})
  ${move(-2)}`;

const KECCAK_GAS = 30;
const KECCAK_WORD_GAS = 6;
/** Longer input is left to the interpreter: it has more than one block. */
const MOST_INPUT = BLOCK - 1;

const keccak = wat`
  ${OPERANDS}
  ${exitFrom('reach')}
  (br_if $exit (i32.or
    (i32.or
      (i32.eqz (i64.eqz ${upperLimbs('b')}))
      (i64.gt_u (local.get $b0) (i64.const ${MOST_INPUT})))
    ;; Memory ends 31 bytes after the last place of a word.
    (i64.gt_u
      (i64.add (local.get $a0) (local.get $b0))
      (i64.extend_i32_u (i32.add (local.get $reach) (i32.const 31))))))
  (local.set $inputLength (i32.wrap_i64 (local.get $b0)))
  ;; Gas after the words, before the fixed part, which the caller takes.
  (local.set $place (i32.sub
    (local.get $gas)
    (i32.mul
      (i32.shr_u (i32.add (local.get $inputLength) (i32.const 31)) (i32.const 5))
      (i32.const ${KECCAK_WORD_GAS}))))
  (br_if $exit (i32.lt_s (local.get $place) (i32.const ${KECCAK_GAS})))
  (local.set $gas (local.get $place))
  ;; The padded block.
  (memory.copy (i32.const ${INPUT}) (i32.add ${IN_ROOM} (i32.const ${MEMORY_AT})) (local.get $inputLength))
  (local.set $place (i32.add (local.get $inputLength) (i32.const ${INPUT})))
  (memory.fill (local.get $place) (i32.const 0) (i32.sub (i32.const ${BLOCK}) (local.get $inputLength)))
  (i64.store8 (local.get $place) (i64.const 0x01))
  (i64.store8 (i32.const ${INPUT + BLOCK - 1})
    (i64.or (i64.load8_u (i32.const ${INPUT + BLOCK - 1})) (i64.const 0x80)))
  (call $hash (i32.const ${INPUT + BLOCK}))
  ${vector.store(2, 0, vector.reversed(vector.load(HASH + 16, '(i32.const 0)')))}
  ${vector.store(2, 2, vector.reversed(vector.load(HASH, '(i32.const 0)')))}
  ${move(-1)}`;

/** Jumps to the place in `a`, if that is a target. */
const JUMP_TO = wat`
  ${exitFrom('length')}
  (br_if $exit (i32.eqz (i32.load8_u offset=${TARGETS_AT} (local.tee $place ${IN_ROOM}))))
  (local.set $pc (local.get $place))`;

const jump: Fast = {
  opcode: 0x56,
  body: wat`
    ${operand(1, 'a')}
    ${JUMP_TO}
    ${move(-1)}`,
  bytes: 0,
};

const jumpi: Fast = {
  opcode: 0x57,
  body: wat`
    ${OPERANDS}
    (if (i64.eqz (i64.or (local.get $b0) ${upperLimbs('b')}))
      (then (local.set $pc (i32.add (local.get $pc) (i32.const 1))))
      (else ${JUMP_TO}))
    ${move(-2)}`,
  bytes: 0,
};

/** Pushes a number of 32 bits. */
const number = (value: string): string => wat`
  ${storeSmall(0, `(i64.extend_i32_u ${value})`)}
  ${move(1)}`;

const calldatasize = number(`(i32.load offset=${HEADER_AT + 4 * HEADER.inputLength} (local.get $room))`);

/** Pushes one of the words that a frame has of its own. */
const own = (place: number): string => wat`
  ${LIMBS.map((limb) => store(0, limb, `(i64.load offset=${OWN_AT + 32 * place + 8 * limb} (local.get $room))`))}
  ${move(1)}`;

/** @param size Bytes of the operand. Bytes loaded beyond them do not get on the stack. */
function push(size: number): Fast {
  const fromCode = (from: number, bytes: number) =>
    bytes <= 0 ? vector.zero : vector.reversed(vector.load(CODE_AT + 1 + from, '(local.get $pc)'), bytes);
  const lower = Math.min(size, 16);
  const body = wat`
    ${vector.store(0, 0, fromCode(size - lower, lower))}
    ${vector.store(0, 2, fromCode(0, size - lower))}
    ${move(1)}`;
  return { opcode: 0x5f + size, body, bytes: 1 + size };
}

const dup = (place: number): string => wat`
  ${LIMBS.map((limb) => store(0, limb, load(place, limb)))}
  ${move(1)}`;

const swap = (place: number): string =>
  wat`${LIMBS.map(
    (limb) => wat`
    (local.set $sum ${load(1, limb)})
    ${store(1, limb, load(1 + place, limb))}
    ${store(1 + place, limb, '(local.get $sum)')}`,
  )}`;

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

export const FAST: readonly Fast[] = [
  ...ON_WORDS,
  simple(0x20, keccak),
  simple(0x30, own(0)),
  simple(0x33, own(1)),
  simple(0x34, own(2)),
  simple(0x36, calldatasize),
  simple(0x50, move(-1)),
  onMemory(0x51, mload),
  onMemory(0x52, mstore),
  onMemory(0x53, mstore8),
  jump,
  jumpi,
  simple(0x58, number('(i32.sub (local.get $pc) (local.get $room))')),
  simple(0x5b, ''),
  push(0),
  ...upTo(32).map(push),
  ...upTo(16).map((place) => simple(0x7f + place, dup(place))),
  ...upTo(16).map((place) => simple(0x8f + place, swap(place))),
  ...ON_DEEP_STACK,
];
