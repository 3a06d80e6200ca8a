import { type Fork, includes } from '@switchyard/evm-machine/fork';
import type { Address } from '@switchyard/evm-machine/types';
import { bytesToHex } from '@switchyard/protocol/ethereum';
import type { Random } from '@switchyard/service/testing';
import { getInput } from './precompile-inputs.ts';
import { bytes, small, word } from './words.ts';

/* Byte code at random that is mostly meaningful: operands are there, places are near, results are kept. */

/** Facts that programs have about the world they run in. */
export interface Surroundings {
  readonly fork: Fork;
  /** Contracts, accounts without code, and addresses without an account. */
  readonly addresses: readonly Address[];
  readonly precompiles: readonly Address[];
}

const OP = {
  STOP: 0x00,
  KECCAK256: 0x20,
  CALLDATALOAD: 0x35,
  CALLDATACOPY: 0x37,
  CODECOPY: 0x39,
  EXTCODECOPY: 0x3c,
  RETURNDATASIZE: 0x3d,
  RETURNDATACOPY: 0x3e,
  POP: 0x50,
  MLOAD: 0x51,
  MSTORE: 0x52,
  MSTORE8: 0x53,
  SLOAD: 0x54,
  SSTORE: 0x55,
  JUMP: 0x56,
  JUMPI: 0x57,
  GAS: 0x5a,
  JUMPDEST: 0x5b,
  TLOAD: 0x5c,
  TSTORE: 0x5d,
  MCOPY: 0x5e,
  PUSH0: 0x5f,
  LOG0: 0xa0,
  CREATE: 0xf0,
  CALL: 0xf1,
  CALLCODE: 0xf2,
  RETURN: 0xf3,
  DELEGATECALL: 0xf4,
  CREATE2: 0xf5,
  STATICCALL: 0xfa,
  REVERT: 0xfd,
  INVALID: 0xfe,
  SELFDESTRUCT: 0xff,
} as const;

/** Arithmetic, comparison and bits, by how many operands they take. */
const UNARY = [0x15, 0x19];
const BINARY = [
  ...[0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0a, 0x0b, 0x10, 0x11, 0x12, 0x13, 0x14],
  ...[0x16, 0x17, 0x18, 0x1a, 0x1b, 0x1c, 0x1d],
];
const TERNARY = [0x08, 0x09];
/** CLZ, EIP-7939. */
const COUNT_ZEROS = 0x1e;
/** Instructions without operands that answer something. */
const ASK = [
  ...[0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x3d, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x4a],
  ...[0x58, 0x59, 0x5a],
];
/** SLOTNUM, EIP-7843. */
const SLOT_NUMBER = 0x4b;
/** DUPN, SWAPN and EXCHANGE, EIP-8024. */
const DEEP = [0xe6, 0xe7, 0xe8];
/** About an account: BALANCE, EXTCODESIZE, EXTCODEHASH. */
const ASK_ACCOUNT = [0x31, 0x3b, 0x3f];

/** Code of a contract. @param depth How much code it may carry to create contracts from. */
export function program(random: Random, around: Surroundings, depth = 1): Uint8Array {
  const writer = new ProgramWriter(random, around, depth);
  const statements = random.between(1, 9);
  for (let at = 0; at < statements; at++) writer.statement();
  writer.ending();
  return writer.code();
}

/**
 * A program of one statement, so that its cost shows: with just enough gas some end exactly behind its last instruction.
 *
 * @param index Chooses the kind.
 */
export function shortProgram(random: Random, around: Surroundings, index: number): Uint8Array {
  const isBare = random.chance(0.5);
  const writer = new ProgramWriter(random, around, 1, isBare);
  writer.statement(index);
  if (isBare) return writer.code();
  if (random.chance(0.3)) writer.statement();
  writer.ending();
  return writer.code();
}

class ProgramWriter {
  readonly #random: Random;
  readonly #around: Surroundings;
  readonly #depth: number;
  readonly #isBare: boolean;
  readonly #code: number[] = [];
  /** Words that statements have left on the stack. */
  #left = 0;

  /** @param isBare Results stay on the stack. */
  constructor(random: Random, around: Surroundings, depth: number, isBare = false) {
    this.#random = random;
    this.#around = around;
    this.#depth = depth;
    this.#isBare = isBare;
  }

  get #isAmsterdam(): boolean {
    return includes(this.#around.fork, 'amsterdam');
  }

  code(): Uint8Array {
    return Uint8Array.from(this.#code);
  }

  readonly #kinds: readonly [weight: number, write: () => void][] = [
    [8, () => this.#compute()],
    [3, () => this.#ask()],
    [3, () => this.#askAccount()],
    [5, () => this.#store()],
    [2, () => this.#transient()],
    [4, () => this.#memory()],
    [2, () => this.#hash()],
    [4, () => this.#copy()],
    [2, () => this.#log()],
    [6, () => this.#call()],
    [4, () => this.#precompile()],
    [2, () => this.#create()],
    [3, () => this.#jump()],
    [2, () => this.#loop()],
    [3, () => this.#stack()],
    [1, () => this.#blockHash()],
    [1, () => this.#garbage()],
    [1, () => this.#end()],
  ];

  statement(index?: number): void {
    if (index !== undefined) {
      this.#kinds[index % this.#kinds.length]?.[1]();
      return;
    }
    let choice = this.#random.between(1, TOTAL_WEIGHT);
    for (const [weight, write] of this.#kinds) {
      choice -= weight;
      if (choice > 0) continue;
      write();
      return;
    }
  }

  /** Stops, or returns its memory. */
  ending(): void {
    if (this.#random.chance(0.4)) this.#op(OP.STOP);
    else {
      this.#push(small(this.#random), small(this.#random));
      this.#op(this.#random.chance(0.85) ? OP.RETURN : OP.REVERT);
    }
  }

  #op(...codes: readonly number[]): void {
    this.#code.push(...codes);
  }

  /** The last value is on top. */
  #push(...values: readonly bigint[]): void {
    for (const value of values) {
      if (value === 0n && this.#random.chance(0.8)) {
        this.#op(OP.PUSH0);
        continue;
      }
      const digits = value.toString(16);
      const hex = digits.length % 2 === 0 ? digits : `0${digits}`;
      const pad = this.#random.chance(0.05) ? Math.min(32 - hex.length / 2, 2) : 0;
      this.#op(OP.PUSH0 + hex.length / 2 + pad, ...new Array<number>(pad).fill(0), ...Buffer.from(hex, 'hex'));
    }
  }

  #address(): bigint {
    const { addresses, precompiles } = this.#around;
    return BigInt(this.#random.pick(this.#random.chance(0.85) ? addresses : precompiles));
  }

  /** A word that may come from the input, from storage or from before. */
  #operand(): void {
    const random = this.#random;
    if (random.chance(0.75)) this.#push(word(random));
    else if (random.chance(0.4)) {
      this.#push(small(random));
      this.#op(OP.CALLDATALOAD);
    } else if (random.chance(0.5)) {
      this.#push(this.#slot());
      this.#op(OP.SLOAD);
    } else this.#op(random.pick(ASK));
  }

  #slot(): bigint {
    return this.#random.chance(0.9) ? BigInt(this.#random.between(0, 4)) : word(this.#random);
  }

  /** Takes the result on top of the stack: into storage or memory, away, or left for later. */
  #keep(): void {
    const random = this.#random;
    if (this.#isBare) return;
    const choice = random.between(0, 9);
    if (choice < 4) {
      this.#push(this.#slot());
      this.#op(OP.SSTORE);
    } else if (choice < 7) {
      this.#push(small(random));
      this.#op(OP.MSTORE);
    } else if (choice < 9 || this.#left > 12) this.#op(OP.POP);
    else this.#left += 1;
  }

  #compute(): void {
    const random = this.#random;
    const hasClz = includes(this.#around.fork, 'osaka');
    const op = random.pick([...BINARY, ...BINARY, ...UNARY, ...TERNARY, ...(hasClz ? [COUNT_ZEROS] : [])]);
    const operands = TERNARY.includes(op) ? 3 : BINARY.includes(op) ? 2 : 1;
    for (let at = 0; at < operands; at++) this.#operand();
    this.#op(op);
    this.#keep();
  }

  #ask(): void {
    this.#op(this.#random.pick(this.#isAmsterdam ? [...ASK, SLOT_NUMBER] : ASK));
    this.#keep();
  }

  #askAccount(): void {
    this.#push(this.#random.chance(0.9) ? this.#address() : word(this.#random));
    this.#op(this.#random.pick(ASK_ACCOUNT));
    this.#keep();
  }

  #blockHash(): void {
    const random = this.#random;
    if (includes(this.#around.fork, 'cancun') && random.chance(0.3)) {
      this.#push(small(random));
      this.#op(0x49);
    } else {
      this.#push(BigInt(random.between(0, 1_100)));
      this.#op(0x40);
    }
    this.#keep();
  }

  #store(): void {
    const slot = this.#slot();
    const times = this.#random.between(1, 3);
    for (let at = 0; at < times; at++) {
      // Restored values cause refunds.
      this.#push(this.#random.chance(0.8) ? BigInt(this.#random.between(0, 2)) : word(this.#random), slot);
      this.#op(OP.SSTORE);
    }
    if (this.#random.chance(0.3)) {
      this.#push(slot);
      this.#op(OP.SLOAD);
      this.#keep();
    }
  }

  #transient(): void {
    this.#push(word(this.#random), this.#slot());
    this.#op(OP.TSTORE);
    this.#push(this.#slot());
    this.#op(OP.TLOAD);
    this.#keep();
  }

  #memory(): void {
    const random = this.#random;
    this.#operand();
    this.#push(small(random));
    this.#op(random.pick([OP.MSTORE, OP.MSTORE, OP.MSTORE8]));
    this.#push(small(random));
    this.#op(OP.MLOAD);
    this.#keep();
  }

  #hash(): void {
    this.#push(small(this.#random), small(this.#random));
    this.#op(OP.KECCAK256);
    this.#keep();
  }

  #copy(): void {
    const random = this.#random;
    const op = random.pick([OP.CALLDATACOPY, OP.CODECOPY, OP.EXTCODECOPY, OP.RETURNDATACOPY, OP.MCOPY]);
    if (op === OP.RETURNDATACOPY && random.chance(0.7)) {
      // All that was returned.
      this.#op(OP.RETURNDATASIZE);
      this.#push(0n, small(random));
    } else this.#push(small(random), small(random), small(random));
    if (op === OP.EXTCODECOPY) this.#push(this.#address());
    this.#op(op);
  }

  #log(): void {
    const random = this.#random;
    const topics = random.between(0, 4);
    for (let at = 0; at < topics; at++) this.#operand();
    this.#push(small(random), small(random));
    this.#op(OP.LOG0 + topics);
  }

  #call(): void {
    const random = this.#random;
    const op = random.pick([OP.CALL, OP.CALL, OP.CALLCODE, OP.DELEGATECALL, OP.STATICCALL]);
    this.#push(small(random), small(random), small(random), small(random));
    if (op === OP.CALL || op === OP.CALLCODE)
      this.#push(random.chance(0.5) ? 0n : random.chance(0.9) ? BigInt(random.between(1, 99)) : word(random));
    this.#push(this.#address());
    this.#gas();
    this.#op(op);
    this.#keep();
    if (random.chance(0.3)) this.#returned();
  }

  /** Nearly everything, a part, or too much. */
  #gas(): void {
    const random = this.#random;
    if (random.chance(0.5)) this.#op(OP.GAS);
    else this.#push(random.chance(0.8) ? BigInt(random.between(0, 60_000)) : word(random));
  }

  #returned(): void {
    this.#op(OP.RETURNDATASIZE);
    this.#push(0n, 0n);
    this.#op(OP.RETURNDATACOPY);
    this.#push(0n);
    this.#op(OP.MLOAD);
    this.#keep();
  }

  #precompile(): void {
    const random = this.#random;
    const target = random.pick(this.#around.precompiles);
    const input = getInput(random, Number(target));
    this.#intoMemory(input);
    const length = random.chance(0.9) ? input.length : Math.max(0, input.length + random.pick([-1, 1, -32, 32]));
    this.#push(random.chance(0.8) ? 96n : small(random), 0n, BigInt(length), 0n);
    this.#push(BigInt(target));
    this.#gas();
    this.#op(random.chance(0.8) ? OP.STATICCALL : OP.DELEGATECALL);
    this.#keep();
    if (random.chance(0.7)) this.#returned();
  }

  #create(): void {
    const random = this.#random;
    const isSalted = random.chance(0.5);
    const init = this.#depth === 0 || random.chance(0.2) ? undefined : this.#initCode();
    if (init !== undefined) this.#intoMemory(init);
    if (isSalted) this.#push(BigInt(random.between(0, 1)));
    if (init === undefined) this.#push(small(random), small(random));
    else this.#push(BigInt(init.length), 0n);
    this.#push(random.chance(0.7) ? 0n : BigInt(random.between(1, 9)));
    this.#op(isSalted ? OP.CREATE2 : OP.CREATE);
    this.#keep();
  }

  #initCode(): Uint8Array {
    const random = this.#random;
    if (random.chance(0.3)) return program(random, this.#around, 0);
    return deployer(program(random, this.#around, this.#depth - 1), random);
  }

  #intoMemory(content: Uint8Array): void {
    for (let at = 0; at < content.length; at += 32) {
      const part = new Uint8Array(32);
      part.set(content.subarray(at, at + 32));
      this.#push(BigInt(bytesToHex(part)), BigInt(at));
      this.#op(OP.MSTORE);
    }
  }

  /** Over bytes that look like an instruction's, if the condition holds. */
  #jump(): void {
    const random = this.#random;
    const isConditional = random.chance(0.6);
    const skipped = random.between(0, 4);
    if (isConditional) this.#operand();
    // PUSH2, JUMP or JUMPI, then the skipped bytes.
    const landing = this.#code.length + 4 + skipped + (random.chance(0.05) ? 1 : 0);
    this.#op(OP.PUSH0 + 2, landing >> 8, landing & 255, isConditional ? OP.JUMPI : OP.JUMP);
    for (let at = 0; at < skipped; at++) this.#op(isConditional ? 0x58 : random.between(0, 255));
    this.#op(OP.JUMPDEST);
  }

  /** Counts down. */
  #loop(): void {
    this.#push(BigInt(this.#random.between(1, 40)));
    const start = this.#code.length;
    this.#op(OP.JUMPDEST);
    if (this.#random.chance(0.5)) {
      // Stores the counter at the place that it names.
      this.#op(0x80, 0x80, this.#random.chance(0.3) ? OP.TSTORE : OP.MSTORE);
    }
    this.#push(1n);
    this.#op(0x90, 0x03, 0x80, OP.PUSH0 + 2, start >> 8, start & 255, OP.JUMPI, OP.POP);
  }

  /** DUP, SWAP and POP of the remaining items, now and then of more. */
  #stack(): void {
    const random = this.#random;
    if (this.#isAmsterdam && random.chance(0.6)) {
      this.#deepStack();
      return;
    }
    const count = random.between(1, 17);
    for (let at = 0; at < count; at++) this.#push(BigInt(random.between(0, 255)));
    const reach = Math.min(16, random.chance(0.97) ? count : count + 1);
    this.#op(random.chance(0.5) ? 0x7f + reach : 0x8f + Math.max(1, Math.min(reach, count - 1)));
    this.#keep();
    const rest = Math.max(0, count - 1);
    for (let at = 0; at < rest; at++) this.#op(OP.POP);
  }

  /** Some immediates are invalid, and some reach below the stack. */
  #deepStack(): void {
    const random = this.#random;
    const count = random.pick([3, 17, 18, 20, 30, 40, 110]);
    for (let at = 0; at < count; at++) this.#push(BigInt(at));
    const single = (random.between(17, count + 1) + 111) % 256;
    const immediate = random.chance(0.3) || count < 17 ? random.between(0, 255) : single;
    this.#op(random.pick(DEEP), immediate);
    this.#keep();
    // Words from below show, too.
    for (let at = 0; at < 4; at++) this.#op(0x18);
    this.#keep();
  }

  #garbage(): void {
    this.#op(...bytes(this.#random, this.#random.between(1, 3)));
  }

  #end(): void {
    const random = this.#random;
    if (random.chance(0.4)) {
      this.#push(this.#address());
      this.#op(OP.SELFDESTRUCT);
    } else if (random.chance(0.3)) this.#op(OP.INVALID);
    else {
      this.#push(small(random), small(random));
      this.#op(OP.REVERT);
    }
  }
}

/** The sum of the weights above. */
const TOTAL_WEIGHT = 56;

/** Init code that leaves `code`, which now and then begins as EIP-3541 forbids. */
export function deployer(code: Uint8Array, random: Random): Uint8Array {
  const body = random.chance(0.03) ? Uint8Array.from([0xef, ...code]) : code;
  const [high, low] = [body.length >> 8, body.length & 255];
  return Uint8Array.from([0x61, high, low, 0x60, 12, 0x5f, 0x39, 0x61, high, low, 0x5f, 0xf3, ...body]);
}
