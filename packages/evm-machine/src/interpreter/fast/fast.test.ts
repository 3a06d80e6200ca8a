import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { bytesToHex, hexToBytes } from '@switchyard/protocol/ethereum';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { Fork } from '../../fork.ts';
import { readyPrecompiles } from '../../precompiles/contract.ts';
import { ALICE, BOB, ENVIRONMENT, stateWith } from '../../testing.ts';
import { Code } from '../code.ts';
import { Context } from '../context.ts';
import { Frame } from '../frame.ts';
import { OUT_OF_GAS, RUNNING, STOPPED } from '../halt.ts';
import { runFrame } from '../run.ts';
import { getTable } from '../table.ts';
import { PARTS, setHex } from '../words.ts';
import { createRooms } from './room.ts';

/* One code on a frame in a room and on one without: afterwards both are equal, for any code and gas. */

beforeAll(readyPrecompiles);

const INPUT = hexToBytes(`0x${'7b'.repeat(70)}`);
/** Addresses and the call's value, as a call brings them. */
const OWN = [BOB, ALICE, `0x${'3f'.repeat(32)}`] as const;

interface Run {
  readonly fork: Fork;
  readonly code: Uint8Array;
  readonly gas: number;
  /** Whether it is interrupted whenever that is possible. */
  readonly paused?: boolean;
}

const inRooms = new Map<Fork, Frame>();

function inRoom(fork: Fork): Frame {
  const frame = inRooms.get(fork) ?? new Frame(createRooms(fork)[0]);
  inRooms.set(fork, frame);
  return frame;
}

/** How the frame ended. */
function ended(frame: Frame, { fork, code: bytes, gas, paused = false }: Run) {
  const state = stateWith({ [BOB]: { balance: 10n } });
  const options = { fork, chainId: 1n, state, block: ENVIRONMENT, blockHash: () => undefined };
  const context = new Context(options);
  context.begin({ from: ALICE, gasPrice: 3n });
  const account = context.journal.account(BOB);
  const code = new Code(bytes);
  const rest = { isStatic: false, outputAt: 0, outputLength: 0 };
  frame.begin(context, 0, {
    kind: 'CALL',
    account,
    target: account,
    code,
    value: 0n,
    input: INPUT,
    gas,
    stateGas: 0,
    ...rest,
  });
  frame.input = INPUT;
  frame.room?.enter(code, INPUT.length);
  for (const [index, value] of OWN.entries()) setHex(frame.own, index * PARTS, value);
  let turns = 0;
  while (frame.halt === RUNNING && runFrame(frame, getTable(fork), () => paused && turns % 2 === 0)) turns += 1;
  const result = {
    ...{ halt: frame.halt, pc: frame.pc, gas: frame.gas, top: frame.top },
    stack: Buffer.from(frame.stack.buffer, frame.stack.byteOffset, 4 * frame.top).toString('hex'),
    memory: [
      frame.memory.size,
      createHash('sha256').update(frame.memory.bytes.subarray(0, frame.memory.size)).digest('hex'),
    ],
    output: bytesToHex(frame.output),
    request: frame.request?.gas,
  };
  frame.end();
  return result;
}

function expectSame(run: Run) {
  const expected = ended(new Frame(), run);
  expectEqual(ended(inRoom(run.fork), run), expected);
  return expected;
}

/** The matcher alone takes longer than the two runs. */
function expectEqual(actual: unknown, expected: unknown) {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}

const hex = (byte: number) => byte.toString(16).padStart(2, '0');
const pushed = (value: bigint) => {
  const digits = value.toString(16);
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  return `${hex(0x5f + even.length / 2)}${even}`;
};

const EDGES = [0n, 1n, 2n, 31n, 32n, 63n, 64n, 127n, 128n, 192n, 255n, 256n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 64n - 1n]
  .concat([2n ** 64n, 2n ** 128n - 1n, 2n ** 192n, 2n ** 255n - 1n, 2n ** 255n, 2n ** 256n - 2n, 2n ** 256n - 1n])
  .concat([(2n ** 64n - 1n) << 64n, (2n ** 32n - 1n) << 128n]);
const word = fc.oneof(
  fc.bigInt({ min: 0n, max: 300n }),
  fc.constantFrom(...EDGES),
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  fc
    .tuple(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.bigInt({ min: 0n, max: 192n }))
    .map(([low, by]) => low << by),
);

/** Instructions on the two or three topmost words, and the forks' newest. */
const OPERATIONS = [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x08, 0x0b, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17]
  .concat([0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x20, 0x30, 0x33, 0x34, 0x35, 0x36, 0x50, 0x51, 0x52, 0x53])
  .concat([0x4b, 0x58, 0x59, 0x5a, 0x5b, 0x5e, 0x5f, 0xe6, 0xe7, 0xe8]);
const instruction = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...OPERATIONS).map(hex) },
  { weight: 4, arbitrary: word.map(pushed) },
  { weight: 2, arbitrary: fc.integer({ min: 0x80, max: 0x9f }).map(hex) },
  { weight: 1, arbitrary: fc.integer({ min: 0x00, max: 0xff }).map(hex) },
  // Memory at places that there are, that need more of it, and that no gas pays for.
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom(0n, 1n, 31n, 32n, 100n, 65_504n, 65_505n, 70_000n, 2n ** 33n, 2n ** 64n),
        fc.integer({ min: 0x51, max: 0x53 }),
      )
      .map(([at, operation]) => `${pushed(at)}${hex(operation)}`),
  },
  // To a target that is one only sometimes, also from a condition.
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.integer({ min: 0, max: 160 }), fc.constantFrom('56', '57', '8057'))
      .map(([to, jump]) => (jump === '8057' ? `80${pushed(BigInt(to))}57` : `${pushed(BigInt(to))}${jump}`)),
  },
);
const FIRST = pushed(2n ** 200n + 7n).repeat(3);
const code = fc
  .array(instruction, { minLength: 1, maxLength: 60 })
  .map((pieces) => hexToBytes(`0x${FIRST}${pieces.join('')}`));
const gas = fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 60_000 }));

test.each(['frontier', 'constantinople', 'shanghai', 'osaka', 'amsterdam'] as const)('random code in %s', (fork) => {
  fc.assert(
    fc.property(code, gas, fc.boolean(), (bytes, amount, paused) => {
      expectSame({ fork, code: bytes, gas: amount, paused });
    }),
    { numRuns: 1_500 },
  );
});

const BINARY = [0x01, 0x02, 0x03, 0x04, 0x06, 0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18, 0x1a, 0x1b, 0x1c, 0x1d];

test.each(BINARY)('instruction %d at the edges, and beside them', (operation) => {
  const values = EDGES.flatMap((edge) => [edge, BigInt.asUintN(256, -edge)]);
  for (const top of values) {
    const pieces = values.map((below) => `${pushed(below)}${pushed(top)}${hex(operation)}`);
    expectSame({ fork: 'osaka', code: hexToBytes(`0x${pieces.join('')}`), gas: 100_000 });
  }
});

test.each(BINARY)('instruction %d on random words', (operation) => {
  fc.assert(
    fc.property(word, word, (top, below) => {
      expectSame({ fork: 'osaka', code: hexToBytes(`0x${pushed(below)}${pushed(top)}${hex(operation)}`), gas: 1_000 });
    }),
    { numRuns: 500 },
  );
});

test('the stack ends at its first and at its last word, for every instruction', () => {
  const frame = inRoom('osaka');
  const table = getTable('osaka');
  for (let opcode = 0; opcode < 256; opcode++) {
    if (table.fast[opcode] !== 1) continue;
    for (const words of [0, 1, 2, 15, 16, 17, 1_023, 1_024]) {
      const once = (each: Frame) => {
        // Words of 5 lead to no target and are in memory that there is not.
        const bytes = hexToBytes(`0x${'6005'.repeat(words)}${hex(opcode)}${'11'.repeat(33)}`);
        return ended(each, { fork: 'osaka', code: bytes, gas: 10_000 });
      };
      expectEqual(once(frame), once(new Frame()));
    }
  }
});

test('operands of a PUSH at the end of code are filled up with zeros, also where longer code was before', () => {
  for (let size = 1; size <= 32; size++) {
    expectSame({ fork: 'osaka', code: hexToBytes(`0x${'fe'.repeat(100)}`), gas: 1_000 });
    for (let there = 0; there <= size; there++) {
      expectSame({ fork: 'osaka', code: hexToBytes(`0x${hex(0x5f + size)}${'ab'.repeat(there)}`), gas: 1_000 });
    }
  }
});

test('a loop ends with the gas, wherever in the loop that is', () => {
  // Adds up, multiplies and jumps, with a condition and without.
  const loop = hexToBytes('0x5f5b6001018060020290505f600c57600156');
  for (let amount = 0; amount < 300; amount++) expectSame({ fork: 'osaka', code: loop, gas: amount });
  const { halt, gas: left } = expectSame({ fork: 'osaka', code: loop, gas: 500_000, paused: true });
  expect(halt).not.toBe(RUNNING);
  expect(left).toBeLessThan(40);
});

test('an instruction that takes more gas than 32 bits count between two looks at the clock', () => {
  // MSTORE8 at 58 MiB takes 2^32 and more than 2^31; then a loop.
  const code = hexToBytes(`0x6001${pushed(58n << 20n)}5360ff5b6001900380600a57`);
  expectSame({ fork: 'osaka', code, gas: 2 ** 34 });
});

test('memory that outgrows the room, and one of the next frame', () => {
  const grows = hexToBytes(
    `0x${pushed(1n)}5f52${pushed(2n)}${pushed(65_504n)}52${pushed(3n)}${pushed(65_505n)}525f5161fff0515959`,
  );
  expectSame({ fork: 'osaka', code: grows, gas: 1_000_000 });
  // Zeros again.
  expectSame({ fork: 'osaka', code: hexToBytes('0x5f51602051615fff5161ffe051'), gas: 1_000_000 });
});

test('long code is brought to the room while it runs, and its jumps lead to the same places', () => {
  const body = '5b6001018060020290505f600c57600156';
  for (const bytes of [1_000, 10_000, 49_000]) {
    const long = hexToBytes(`0x5f${body}${'fe'.repeat(bytes)}`);
    for (const amount of [100, 1_000, 3_000, 20_000]) expectSame({ fork: 'osaka', code: long, gas: amount });
  }
});

test('every byte behind an instruction on the deep stack, on stacks that are just deep enough and one word short', () => {
  for (const opcode of [0xe6, 0xe7, 0xe8]) {
    for (let immediate = 0; immediate < 256; immediate++) {
      for (const words of [0, 2, 3, 16, 17, 18, 29, 30, 31, immediate, immediate + 1, 235, 236, 1_023, 1_024]) {
        const stack = Array.from({ length: words }, (_, at) => `61${hex(at >> 8)}${hex(at & 255)}`).join('');
        expectSame({ fork: 'amsterdam', code: hexToBytes(`0x${stack}${hex(opcode)}${hex(immediate)}`), gas: 10_000 });
      }
      for (const missing of [0, 1]) {
        const code = hexToBytes(`0x${'5f'.repeat(236)}${hex(opcode)}${hex(immediate)}`);
        expectSame({ fork: 'amsterdam', code, gas: 2 * 236 + 3 - missing });
      }
    }
    // Behind the end of the code is a zero.
    expectSame({ fork: 'amsterdam', code: hexToBytes(`0x${'5f'.repeat(236)}${hex(opcode)}`), gas: 10_000 });
  }
});

test('hashes of every length, at the beginning and at the end of memory, with enough gas and with too little', () => {
  const filled = [0, 32, 64, 96, 128, 160].map((at) => `7f${hex(at + 1).repeat(32)}${pushed(BigInt(at))}52`).join('');
  for (let length = 0; length <= 200; length++) {
    for (const offset of [0, 7, 192 - length, 193 - length].filter((each) => each >= 0)) {
      const code = hexToBytes(`0x${filled}${pushed(BigInt(length))}${pushed(BigInt(offset))}20`);
      const { gas: left, halt } = expectSame({ fork: 'osaka', code, gas: 1_000 });
      expect(halt).toBe(STOPPED);
      for (const missing of [0, 1]) {
        const { halt: end } = expectSame({ fork: 'osaka', code, gas: 1_000 - left - missing });
        expect(end).toBe(missing === 0 ? STOPPED : OUT_OF_GAS);
      }
    }
  }
});

test('fast are instructions that the fork has', () => {
  const fastIn = (fork: Fork) => Array.from(getTable(fork).fast).reduce((sum, each) => sum + each, 0);
  expect([fastIn('frontier'), fastIn('constantinople'), fastIn('osaka'), fastIn('amsterdam')]).toEqual([
    93, 96, 97, 100,
  ]);
});
