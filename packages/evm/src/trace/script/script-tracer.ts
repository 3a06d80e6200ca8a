import { createdAddress } from '@switchyard/evm-machine/created-address';
import type { Fork } from '@switchyard/evm-machine/fork';
import { opcodeName } from '@switchyard/evm-machine/opcodes';
import { getPrecompiles } from '@switchyard/evm-machine/precompiles';
import type { StateReader } from '@switchyard/evm-machine/state';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import type { Outcome } from '@switchyard/evm-machine/values';
import { bytesToHex, hexToBytes, keccak256, quantity } from '@switchyard/protocol/ethereum';
import { systemClock } from '@switchyard/service';
import type { QuickJSContext, QuickJSHandle, QuickJSRuntime } from 'quickjs-emscripten-core';
import { serverError } from '../../json/errors.ts';
import type { EvmMessage } from '../../simulate/evm-message.ts';
import { TimedOut } from '../../simulate/time-budget.ts';
import type { Budget } from '../budget.ts';
import type { FrameEnd, FrameStart, Step, Tracer, TraceStart } from '../tracer.ts';
import type { StepCosts } from './costs.ts';
import { PRELUDE } from './prelude.ts';

/** Place of the call that a script follows. */
export interface ScriptPlace {
  readonly fork: Fork;
  readonly number: bigint;
  readonly baseFee: bigint;
  readonly blockHash?: Hash;
  readonly txHash?: Hash | undefined;
  readonly txIndex?: number;
}

export interface ScriptOptions {
  readonly script: string;
  /** JSON, for the script's `setup`. */
  readonly config: string;
  readonly costs: StepCosts;
  readonly budget: Budget;
}

const MEMORY_BYTES = 64 * 1_048_576;
const STACK_BYTES = 256 * 1_024;

/**
 * An interpreter of its own for each request: nothing of a script outlives it. It has neither modules nor anything of Node.
 *
 * @param ms Time that its scripts have together.
 */
export async function scriptRuntime(ms: number): Promise<QuickJSRuntime> {
  const { newQuickJSWASMModuleFromVariant } = await import('quickjs-emscripten-core');
  const engine = await newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-wasmfile-release-sync'));
  const deadline = systemClock.now() + ms;
  const interruptHandler = () => systemClock.now() > deadline;
  return engine.newRuntime({ memoryLimitBytes: MEMORY_BYTES, maxStackSizeBytes: STACK_BYTES, interruptHandler });
}

interface OpenFrame {
  readonly caller: Address;
  readonly value: bigint;
  readonly input: Uint8Array;
}

/** Values that cross to the script. */
type Given = string | number | boolean | ArrayBuffer | undefined;

/** A tracer in JavaScript, with the interface of go-ethereum's. */
export class ScriptTracer implements Tracer {
  readonly step: ((step: Step) => void) | undefined;
  readonly stepped: ((cost: number, error: string | undefined) => void) | undefined;
  readonly #vm: QuickJSContext;
  readonly #functions: QuickJSHandle;
  readonly #options: ScriptOptions;
  readonly #message: EvmMessage;
  readonly #place: ScriptPlace;
  readonly #follows: boolean;
  readonly #open: OpenFrame[] = [];
  #context: Record<string, unknown> = {};
  #state: StateReader | undefined;
  #step: Step | undefined;

  /** @throws {JsonRpcError} if the text is no tracer. */
  constructor(runtime: QuickJSRuntime, message: EvmMessage, place: ScriptPlace, options: ScriptOptions) {
    this.#message = message;
    this.#place = place;
    this.#options = options;
    this.#vm = runtime.newContext();
    const begin = this.#call('setup', this.#evaluated(PRELUDE), [this.#host()]);
    this.#functions = this.#call('setup', begin, [
      this.#evaluated(`(${options.script}\n)`),
      this.#vm.newString(options.config),
    ]);
    const has = (name: string) => this.#vm.dump(this.#vm.getProp(this.#functions, name)) === true;
    this.#follows = has('frames');
    if (!has('steps')) return;
    this.step = (step) => this.#stepOn(step);
    this.stepped = (_, error) => {
      if (error !== undefined && !BEFORE.has(error)) this.#run('fault', error).dispose();
    };
  }

  start({ coinbase, state }: TraceStart): void {
    this.#state = state;
    const { gasLimit, gasPrice } = this.#message;
    const { number, baseFee, fork: _, ...place } = this.#place;
    const tip = gasPrice > baseFee ? gasPrice - baseFee : 0n;
    this.#context = { ...place, block: Number(number), coinbase, gas: Number(gasLimit), gasPrice: quantity(tip) };
  }

  enter({ kind, depth, from, to, value, input, gas }: FrameStart): void {
    const parent = this.#open.at(-1);
    const creates = kind === 'CREATE' || kind === 'CREATE2';
    this.#open.push({
      caller: kind === 'DELEGATECALL' ? (parent?.caller ?? from) : from,
      value: value ?? 0n,
      input: creates ? NOTHING : input,
    });
    const given = {
      type: kind,
      from,
      to,
      input: bytesToHex(input),
      value: value === undefined ? undefined : quantity(value),
    };
    if (depth === 0) Object.assign(this.#context, given);
    else if (this.#follows) this.#run('enter', JSON.stringify({ ...given, gas })).dispose();
  }

  exit({ output, gasUsed, error }: FrameEnd): void {
    this.#open.pop();
    const given = { output: bytesToHex(output), gasUsed, error };
    if (this.#open.length === 0) Object.assign(this.#context, given);
    else if (this.#follows) this.#run('exit', JSON.stringify(given)).dispose();
  }

  result({ gasUsed }: Outcome): unknown {
    const context = JSON.stringify({ ...this.#context, gasUsed: Number(gasUsed) });
    const answer: unknown = this.#vm.dump(this.#run('result', context));
    if (typeof answer !== 'string') return null;
    this.#options.budget.take(answer.length);
    return JSON.parse(answer);
  }

  #stepOn(step: Step): void {
    this.#step = step;
    const { cost, error } = this.#options.costs.next();
    const shown = error !== undefined && BEFORE.has(error) ? error : undefined;
    this.#run('step', step.opcode, step.pc, step.gas, cost, step.depth + 1, step.refund, shown).dispose();
  }

  /** Functions for the prelude. */
  #host(): QuickJSHandle {
    const state = () => this.#state;
    const account = (item: string) => state()?.account(item as Address);
    const frame = () => this.#open.at(-1);
    const memory = () => this.#step?.memory() ?? NOTHING;
    const functions: Record<string, (...given: never[]) => Given> = {
      opcodeName: (code: number) => opcodeName(code),
      stackSize: () => this.#step?.stackSize ?? 0,
      peek: (place: number) => {
        const size = this.#step?.stackSize ?? 0;
        if (place < 0 || place >= size) throw outside('stack', `size ${size}, index ${place}`);
        return quantity(this.#step?.peek(place) ?? 0n);
      },
      memorySize: () => memory().length,
      memory: (from: number, to: number) => {
        if (from < 0 || to < from || to - from > MEMORY_BYTES) throw outside('memory', `offset ${from}, end ${to}`);
        const bytes = new Uint8Array(to - from);
        bytes.set(memory().subarray(from, to));
        return bytes.buffer;
      },
      word: (from: number) => {
        const bytes = memory();
        if (from < 0 || from + 32 > bytes.length) throw outside('memory', `available ${bytes.length}, offset ${from}`);
        return Uint8Array.from(bytes.subarray(from, from + 32)).buffer;
      },
      caller: () => frame()?.caller,
      address: () => this.#step?.address,
      value: () => quantity(frame()?.value ?? 0n),
      input: () => bytesToHex(frame()?.input ?? NOTHING),
      balance: (item: string) => quantity(account(item)?.balance ?? 0n),
      nonce: (item: string) => Number(account(item)?.nonce ?? 0n),
      exists: (item: string) => account(item) !== undefined,
      code: (item: string) => {
        const codeHash = account(item)?.codeHash;
        return codeHash === undefined ? '0x' : bytesToHex(state()?.code(codeHash) ?? NOTHING);
      },
      storage: (item: Address, slot: Hash) =>
        `0x${(state()?.storage(item, slot) ?? 0n).toString(16).padStart(64, '0')}`,
      created: (from: Address, nonce: number) => createdAddress(from, BigInt(nonce)),
      created2: (from: Address, salt: Hash, code: Hash) =>
        `0x${bytesToHex(keccak256(hexToBytes(`0xff${from.slice(2)}${salt.slice(2)}${bytesToHex(keccak256(hexToBytes(code))).slice(2)}`))).slice(26)}`,
      isPrecompiled: (item: Address) => getPrecompiles(this.#place.fork).has(item),
    };
    const host = this.#vm.newObject();
    for (const [name, make] of Object.entries(functions)) {
      const called = (...given: QuickJSHandle[]) =>
        this.#handle(make(...(given.map((each) => this.#vm.dump(each)) as never[])));
      this.#vm.setProp(host, name, this.#vm.newFunction(name, called));
    }
    return host;
  }

  #handle(value: Given): QuickJSHandle {
    switch (typeof value) {
      case 'string':
        return this.#vm.newString(value);
      case 'number':
        return this.#vm.newNumber(value);
      case 'boolean':
        return value ? this.#vm.true : this.#vm.false;
      case 'undefined':
        return this.#vm.undefined;
      default:
        return this.#vm.newArrayBuffer(value);
    }
  }

  #run(name: string, ...given: readonly Given[]): QuickJSHandle {
    const handles = given.map((each) => this.#handle(each));
    const called = this.#vm.getProp(this.#functions, name);
    const result = this.#call(name, called, handles);
    for (const each of [called, ...handles]) each.dispose();
    return result;
  }

  #call(name: string, called: QuickJSHandle, given: QuickJSHandle[]): QuickJSHandle {
    const answered = this.#vm.callFunction(called, this.#vm.undefined, given);
    if (answered.error === undefined) return answered.value;
    throw this.#failure(answered.error, `    in server-side tracer function '${name}'`);
  }

  #evaluated(code: string): QuickJSHandle {
    const evaluated = this.#vm.evalCode(code, 'tracer');
    if (evaluated.error === undefined) return evaluated.value;
    throw this.#failure(evaluated.error, '');
  }

  #failure(error: QuickJSHandle, where: string): Error {
    const thrown: unknown = this.#vm.dump(error);
    const { name = 'Error', message = String(thrown) } = Object(thrown) as { name?: string; message?: string };
    if (message === 'interrupted') return new TimedOut('execution timeout');
    return serverError(`${name}: ${message}`.slice(0, LONGEST_MESSAGE) + where);
  }
}

const NOTHING = new Uint8Array();
const LONGEST_MESSAGE = 1_000;
/** Errors for which an instruction does not begin: its step shows them, and it has no fault. */
const BEFORE: ReadonlySet<string> = new Set(['out of gas', 'stack underflow', 'stack limit reached']);

function outside(what: string, which: string): RangeError {
  return new RangeError(`tracer accessed out of bound ${what}: ${which}`);
}
