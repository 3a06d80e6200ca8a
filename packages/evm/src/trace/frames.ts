import type { EVMResult, InterpreterStep, Message } from '@ethereumjs/evm';
import { bigIntToBytes, generateAddress, generateAddress2 } from '@ethereumjs/util';
import { hexOf } from '../hex.ts';
import type { StateReader } from '../state/state.ts';
import type { Address } from '../types.ts';
import { failureText, NO_BALANCE, NONCE_OVERFLOW, TOO_DEEP } from './failures.ts';
import { type Around, type GasOf, OPCODE, type RunState } from './opcodes.ts';
import type { FrameKind, FrameStart, Tracer } from './tracer.ts';

/** A call or creation that an opcode is about to make. */
interface Attempt {
  readonly kind: FrameKind;
  readonly operands: readonly bigint[];
  /** Handed over, without a stipend. */
  readonly gas: bigint;
}

interface CallOpcode {
  readonly kind: FrameKind;
  readonly operands: number;
}

const CALLS: ReadonlyMap<number, CallOpcode> = new Map<number, CallOpcode>([
  [OPCODE.call, { kind: 'CALL', operands: 7 }],
  [OPCODE.callcode, { kind: 'CALLCODE', operands: 7 }],
  [OPCODE.delegatecall, { kind: 'DELEGATECALL', operands: 6 }],
  [OPCODE.staticcall, { kind: 'STATICCALL', operands: 6 }],
  [OPCODE.create, { kind: 'CREATE', operands: 3 }],
  [OPCODE.create2, { kind: 'CREATE2', operands: 4 }],
]);

const HALTING: ReadonlySet<number> = new Set([OPCODE.stop, OPCODE.return, OPCODE.selfdestruct]);

const CALL_STIPEND = 2_300n;
const DEEPEST = 1_024;
const MAX_GAS = (1n << 64n) - 1n;
const MAX_NONCE = (1n << 64n) - 1n;

/**
 * Turns the messages of the interpreter into frames. They do not distinguish a STATICCALL from a CALL, and there is none
 * for a call that cannot begin, while go-ethereum shows both: so the opcodes are looked at as well.
 */
export class Frames {
  readonly around: ReadonlyMap<number, Around[]>;
  /** Gas that an opcode hands to a call, which the interpreter does not count as its cost. */
  readonly gasOf: GasOf;
  readonly #tracer: Tracer;
  readonly #state: StateReader;
  readonly #open: FrameKind[] = [];
  #attempt: Attempt | undefined;
  #handedOver = 0n;

  constructor(tracer: Tracer, state: StateReader) {
    this.#tracer = tracer;
    this.#state = state;
    const around = new Map<number, Around[]>();
    if (tracer.enter !== undefined || tracer.exit !== undefined) {
      for (const [code, call] of CALLS) around.set(code, [(frame, run) => this.#call(call, frame, run)]);
      around.set(OPCODE.selfdestruct, [(frame, run) => this.#selfdestruct(frame, run)]);
    }
    this.around = around;
    this.gasOf = (code, frame) => {
      const hands = CALLS.get(code)?.kind.startsWith('CREATE') === false;
      this.#handedOver = hands ? (frame?.messageGasLimit ?? 0n) : 0n;
    };
  }

  before(message: Message, isPrecompile: (address: Address) => boolean): void {
    const attempt = this.#attempt;
    this.#attempt = undefined;
    const creates = message.to === undefined;
    const kind = attempt?.kind ?? (creates ? 'CREATE' : 'CALL');
    this.#open.push(kind);
    if (this.#tracer.enter === undefined) return;
    const to = creates ? this.#created(message) : hexOf(message.codeAddress.bytes);
    // Code that is borrowed runs at the caller's own address.
    const from = kind === 'DELEGATECALL' && message.to !== undefined ? message.to : message.caller;
    this.#tracer.enter({
      kind,
      depth: message.depth,
      from: hexOf(from.bytes),
      to,
      value: kind === 'STATICCALL' ? undefined : message.value,
      input: message.data,
      gas: message.gasLimit,
      precompile: !creates && isPrecompile(to),
    });
  }

  after({ execResult }: EVMResult): void {
    const kind = this.#open.pop();
    this.#ranOff(execResult);
    this.#tracer.exit?.({
      output: execResult.returnValue,
      gasUsed: execResult.executionGasUsed,
      error: failureText(execResult, kind === 'CREATE' || kind === 'CREATE2'),
    });
  }

  step({ pc, opcode, gasLeft, gasRefund, depth, address, stack, memory }: InterpreterStep): void {
    const dynamic = opcode.dynamicFee ?? 0n;
    // A cost above any gas counter cannot be paid: only what comes before it is shown.
    const own = dynamic === 0n || dynamic > MAX_GAS ? BigInt(opcode.fee) : dynamic;
    const cost = own + this.#handedOver;
    this.#handedOver = 0n;
    const { code, name } = opcode;
    const at = { pc, depth, address: hexOf(address.bytes), stack, memory };
    this.#tracer.step?.({ ...at, opcode: code, name, gas: gasLeft, cost, refund: gasRefund });
  }

  /** Code that runs past its end stops as by a STOP, for which the interpreter emits no step. */
  #ranOff({ runState, exceptionError }: EVMResult['execResult']): void {
    if (this.#tracer.step === undefined || runState === undefined || exceptionError !== undefined) return;
    if (HALTING.has(runState.opCode)) return;
    const { programCounter: pc, gasLeft: gas, gasRefund: refund, stack, memory, memoryWordCount, env } = runState;
    this.#tracer.step({
      pc,
      opcode: OPCODE.stop,
      name: 'STOP',
      gas,
      cost: 0n,
      refund,
      depth: env.depth,
      address: hexOf(env.address.bytes),
      stack: stack.getStack(),
      memory: memory._store.slice(0, Number(memoryWordCount) * 32),
    });
  }

  async #call({ kind, operands }: CallOpcode, frame: RunState, run: () => void | Promise<void>): Promise<void> {
    const attempt: Attempt = { kind, operands: frame.stack.peek(operands), gas: frame.messageGasLimit ?? 0n };
    this.#attempt = attempt;
    await run();
    // No message came of it.
    if (this.#attempt === attempt) this.#impossible(attempt, frame);
    this.#attempt = undefined;
  }

  #impossible(attempt: Attempt, frame: RunState): void {
    const start = attempted(attempt, frame, this.#state);
    const { depth, contract } = frame.env;
    const error =
      depth >= DEEPEST
        ? TOO_DEEP
        : contract.nonce >= MAX_NONCE && (start.value ?? 0n) <= contract.balance
          ? NONCE_OVERFLOW
          : NO_BALANCE;
    this.#tracer.enter?.(start);
    this.#tracer.exit?.({ output: new Uint8Array(), gasUsed: 0n, error });
  }

  #selfdestruct(frame: RunState, run: () => void | Promise<void>): void | Promise<void> {
    const from = hexOf(frame.env.address.bytes);
    const [heir = 0n] = frame.stack.peek(1);
    this.#tracer.enter?.({
      kind: 'SELFDESTRUCT',
      depth: frame.env.depth + 1,
      from,
      to: addressOf(heir),
      value: this.#state.account(from)?.balance ?? 0n,
      input: new Uint8Array(),
      gas: 0n,
      precompile: false,
    });
    this.#tracer.exit?.({ output: new Uint8Array(), gasUsed: 0n, error: undefined });
    return run();
  }

  /** Where a creation puts the contract. The creator's nonce counts it already. */
  #created({ caller, salt, data }: Message): Address {
    if (salt !== undefined) return hexOf(generateAddress2(caller.bytes, salt, data));
    const nonce = (this.#state.account(hexOf(caller.bytes))?.nonce ?? 1n) - 1n;
    return hexOf(generateAddress(caller.bytes, bigIntToBytes(nonce)));
  }
}

/** The frame that would have been. */
function attempted({ kind, operands, gas }: Attempt, frame: RunState, state: StateReader): FrameStart {
  const from = hexOf(frame.env.address.bytes);
  const base = { kind, depth: frame.env.depth + 1, from, precompile: false };
  const memory = (offset: bigint | undefined, length: bigint | undefined): Uint8Array =>
    length === undefined || length === 0n ? new Uint8Array() : frame.memory.read(Number(offset), Number(length));
  if (kind === 'CREATE' || kind === 'CREATE2') {
    const [value = 0n, offset, length, salt] = operands;
    const input = memory(offset, length);
    const address =
      salt === undefined
        ? generateAddress(frame.env.address.bytes, bigIntToBytes(state.account(from)?.nonce ?? 0n))
        : generateAddress2(frame.env.address.bytes, word(salt), input);
    return { ...base, to: hexOf(address), value, input, gas };
  }
  const valued = kind === 'CALL' || kind === 'CALLCODE';
  const [, to = 0n, ...rest] = operands;
  const value = valued ? (rest[0] ?? 0n) : kind === 'DELEGATECALL' ? frame.env.callValue : undefined;
  const [offset, length] = valued ? rest.slice(1) : rest;
  const stipend = valued && value !== 0n ? CALL_STIPEND : 0n;
  return { ...base, to: addressOf(to), value, input: memory(offset, length), gas: gas + stipend };
}

/** The lower 20 bytes of a word. */
export function addressOf(word: bigint): Address {
  return `0x${BigInt.asUintN(160, word).toString(16).padStart(40, '0')}`;
}

function word(value: bigint): Uint8Array {
  return new Uint8Array(Buffer.from(value.toString(16).padStart(64, '0'), 'hex'));
}
