import { bytesToHex } from '@switchyard/protocol/ethereum';
import { LruCache } from '../lru-cache.ts';
import { isDelegation } from '../signatures/delegation.ts';
import { EMPTY_CODE_HASH } from '../state/account.ts';
import type { StateReader } from '../state/state.ts';
import type { Address, Hash } from '../types.ts';

const JUMPDEST = 0x5b;
const PUSH1 = 0x60;
const PUSH32 = 0x7f;
/** Zeros after the code, so that the operand of a PUSH at its end needs no check: they are a STOP, too. */
const MARGIN = 33;

/** Code as the interpreter runs it. */
export class Code {
  /** Followed by zeros. */
  readonly bytes: Uint8Array;
  readonly length: number;
  #targets: Uint8Array | undefined;

  constructor(code: Uint8Array) {
    this.bytes = new Uint8Array(code.length + MARGIN);
    this.bytes.set(code);
    this.length = code.length;
  }

  /** Jump targets by place in the code: 1 for a valid target. Found at the first jump. */
  get targets(): Uint8Array {
    this.#targets ??= getTargets(this.bytes, this.length);
    return this.#targets;
  }

  /** Targets, if computed before. */
  get knownTargets(): Uint8Array | undefined {
    return this.#targets;
  }

  /** The code itself. */
  get content(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }
}

function getTargets(bytes: Uint8Array, length: number): Uint8Array {
  const targets = new Uint8Array(length);
  for (let at = 0; at < length; at++) {
    const opcode = bytes[at] ?? 0;
    if (opcode === JUMPDEST) targets[at] = 1;
    else if (opcode >= PUSH1 && opcode <= PUSH32) at += opcode - PUSH1 + 1;
  }
  return targets;
}

export const NO_CODE = new Code(new Uint8Array());

/** Bytes of code, with the findings about it, that stay in memory. */
const CACHED_BYTES = 32 * 1_048_576;
/** Targets take as much as the code, and each entry takes some more. */
const weigh = ({ length }: Code) => 2 * length + 500;
const cache = new LruCache<Hash, Code>(CACHED_BYTES, weigh);

/** Deployed code. That of a creation runs once and is not kept. */
export function getCode(state: StateReader, hash: Hash): Code {
  if (hash === EMPTY_CODE_HASH) return NO_CODE;
  const known = cache.get(hash);
  if (known !== undefined) return known;
  const code = new Code(state.code(hash));
  cache.put(hash, code);
  return code;
}

/** EIP-7702: if code only names another account, whose code runs instead, that one. */
export function findDelegate({ bytes, length }: Code): Address | undefined {
  return isDelegation(bytes, length) ? bytesToHex(bytes.subarray(3, 23)) : undefined;
}
