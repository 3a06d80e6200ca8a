import type { Precompile } from '../precompiles/contract.ts';
import { EMPTY_CODE_HASH, EMPTY_ROOT, MAX_BALANCE } from '../state/account.ts';
import type { Context } from './context.ts';
import { ADDRESS, CALLER, type CallRequest, type Frame, VALUE } from './frame.ts';
import { type Frames, freeFrames, takeFrames } from './frames.ts';
import {
  BALANCE_OVERFLOW,
  CALLING,
  CODE_FORMAT,
  CODE_STORE_OUT_OF_GAS,
  CODE_TOO_LARGE,
  COLLISION,
  haltText,
  NO_BALANCE,
  NONCE_OVERFLOW,
  OUT_OF_GAS,
  PRECOMPILE_FAILED,
  REVERTED,
  RUNNING,
  STOPPED,
  TOO_DEEP,
} from './halt.ts';
import { logTransfer } from './instructions/logs.ts';
import type { Watch } from './interface.ts';
import type { Account } from './journal.ts';
import { MAX_DEPTH, MAX_NONCE } from './limits.ts';
import { GAS_AT_ONCE, runFrame } from './run.ts';
import { getTable, type Table } from './table.ts';
import { copyWord, PARTS, setBig, setHex, setSmall } from './words.ts';

/** EIP-3541. */
const FORMAT_BYTE = 0xef;
/** Calls between two calls of the watch, unless they spend more gas than goes by between two of them in a frame. */
const CALLS_AT_ONCE = 16;
const NO_BYTES = new Uint8Array();

/** How a call ended. */
export interface Ended {
  /** See halt.ts. */
  readonly halt: number;
  /** The instruction it ended with. */
  readonly opcode: number;
  readonly gasLeft: number;
  readonly output: Uint8Array;
}

/** Runs a call with all calls inside it, one after another: a call that waits for another is on a stack of its own. */
export class Machine {
  readonly #context: Context;
  readonly #table: Table;
  readonly #frames: Frame[] = [];
  readonly #sender: Account;
  readonly #watch: Watch | undefined;
  #ended: Ended | undefined;
  #unused: Frames | undefined;
  /** Since the watch was called between two calls. */
  #calls = 0;
  #gas = 0;

  /** @param sender Who makes the outermost call. Its nonce counts it already. */
  constructor(context: Context, sender: Account, watch: Watch | undefined) {
    this.#context = context;
    this.#watch = watch;
    this.#table = getTable(context.rules.fork);
    this.#sender = sender;
  }

  start(request: CallRequest): void {
    this.#enter(request, undefined);
  }

  /** In place of `start`: the call ends before it has begun, with all of its gas. */
  startWithoutGas({ kind, account, target, value, gas, input }: CallRequest): void {
    const { hooks, precompiles } = this.#context;
    const { address: from } = this.#sender;
    const precompile = precompiles.has(target.address);
    hooks?.enter?.({
      ...{ kind, depth: 0, from, to: target.address, address: account.address, value, input, gas, precompile },
    });
    hooks?.exit?.({ output: NO_BYTES, gasUsed: gas, error: haltText(OUT_OF_GAS, 0) });
    this.#ended = ended(OUT_OF_GAS, 0);
  }

  /** Continues after a read of the state has thrown. */
  run(): Ended {
    for (;;) {
      const frame = this.#frames.at(-1);
      if (frame === undefined) {
        if (this.#unused !== undefined) freeFrames(this.#table, this.#unused);
        this.#unused = undefined;
        if (this.#ended === undefined) throw new Error('a call ended without an answer');
        return this.#ended;
      }
      const { gas } = frame;
      if (frame.halt === RUNNING) runFrame(frame, this.#table, this.#watch);
      const { request } = frame;
      // Less the gas given to the call that it asks for.
      this.#gas += gas - frame.gas - (request?.gas ?? 0);
      if (frame.halt === CALLING && request !== undefined) {
        frame.request = undefined;
        this.#enter(request, frame);
      } else this.#leave(frame);
      this.#calls += 1;
      if (this.#calls < CALLS_AT_ONCE && this.#gas < GAS_AT_ONCE) continue;
      this.#calls = 0;
      this.#gas = 0;
      this.#watch?.(0);
    }
  }

  #enter(request: CallRequest, caller: Frame | undefined): void {
    const { journal, hooks, rules, precompiles, stateGas } = this.#context;
    const { kind, account, target, value, gas, input } = request;
    const from = caller?.account ?? this.#sender;
    const isCreation = kind === 'CREATE' || kind === 'CREATE2';
    const precompile = isCreation ? undefined : precompiles.get(target.address);
    const depth = caller === undefined ? 0 : caller.depth + 1;
    if (hooks?.enter !== undefined) {
      hooks.enter({
        kind,
        depth,
        from: from.address,
        to: target.address,
        address: account.address,
        value,
        input,
        gas,
        precompile: precompile !== undefined,
      });
    }
    const impossible = this.#impossible(request, from, depth);
    if (impossible !== RUNNING) {
      this.#answer(caller, request, ended(impossible, gas));
      return;
    }
    if (isCreation) {
      if (caller !== undefined) journal.setNonce(from, from.nonce + 1n);
      if (rules.hasAccessLists) journal.warm(account);
      account.isAccessed = true;
      if (isTaken(account)) {
        this.#answer(caller, request, ended(COLLISION, 0));
        return;
      }
    }
    const mark = journal.mark();
    const logMark = journal.logs.length;
    if (isCreation) journal.create(account, rules.removesEmpty ? 1n : 0n);
    if (kind === 'CALL' || isCreation) this.#transfer(from, account, value);
    else if (kind === 'STATICCALL') journal.touch(account);

    if (precompile !== undefined) {
      this.#runContract(precompile, request, { mark, logMark }, caller);
      return;
    }
    if (request.code.length === 0 && !isCreation) {
      this.#answer(caller, request, ended(STOPPED, gas));
      return;
    }
    this.#unused ??= takeFrames(this.#table);
    const frame = this.#unused.take(this.#frames.length, request.code);
    frame.begin(this.#context, depth, request);
    frame.mark = mark;
    frame.logMark = logMark;
    frame.refundMark = journal.refund;
    frame.spillMark = stateGas.spilled;
    frame.reservoirMark = stateGas.reservoir;
    frame.input = isCreation ? NO_BYTES : input;
    frame.room?.enter(request.code, frame.input.length);
    setHex(frame.own, ADDRESS, account.address);
    if (kind === 'DELEGATECALL' && caller !== undefined) copyWord(caller.own, CALLER, frame.own, CALLER);
    else if (caller === undefined) setHex(frame.own, CALLER, from.address);
    else copyWord(caller.own, ADDRESS, frame.own, CALLER);
    setBig(frame.own, VALUE, value);
    this.#frames.push(frame);
  }

  #runContract(
    contract: Precompile,
    request: CallRequest,
    before: { readonly mark: number; readonly logMark: number },
    caller: Frame | undefined,
  ): void {
    const { gas, input } = request;
    const cost = contract.gas(input);
    let result: Uint8Array | undefined;
    if (cost <= gas) {
      this.#watch?.(cost);
      this.#gas += cost;
      result = contract.run(input);
    }
    if (result === undefined) {
      const { journal } = this.#context;
      journal.revert(before.mark);
      journal.logs.length = before.logMark;
      this.#answer(caller, request, ended(cost > gas ? OUT_OF_GAS : PRECOMPILE_FAILED, 0));
      return;
    }
    // The input is memory, which changes while the result is still asked for.
    const output = result.buffer === input.buffer ? result.slice() : result;
    this.#answer(caller, request, { halt: STOPPED, opcode: 0, gasLeft: gas - cost, output });
  }

  /** Why a call cannot begin, which costs the caller nothing of the gas for it. */
  #impossible({ kind, account, value }: CallRequest, from: Account, depth: number): number {
    if (depth > MAX_DEPTH) return TOO_DEEP;
    if (kind !== 'DELEGATECALL' && value > from.balance) return NO_BALANCE;
    if (value > 0n && account !== from && account.balance + value > MAX_BALANCE) return BALANCE_OVERFLOW;
    const counts = depth > 0 && (kind === 'CREATE' || kind === 'CREATE2');
    return counts && from.nonce >= MAX_NONCE ? NONCE_OVERFLOW : RUNNING;
  }

  #transfer(from: Account, to: Account, value: bigint): void {
    const { journal, rules } = this.#context;
    if (value > 0n) {
      journal.setBalance(from, from.balance - value);
      journal.setBalance(to, to.balance + value);
      if (rules.logsTransfers) logTransfer(this.#context, from, to, value);
    } else if (rules.removesEmpty) journal.touch(to);
    // Before EIP-161 a call of nothing brings an account into being.
    else if (!to.exists) journal.setBalance(to, 0n);
  }

  #leave(frame: Frame): void {
    this.#frames.pop();
    const { journal, stateGas } = this.#context;
    const { origin: request } = frame;
    const caller = this.#frames.at(-1);
    const opcode = frame.code.bytes[frame.pc - 1] ?? 0;
    if (frame.halt === STOPPED && (request.kind === 'CREATE' || request.kind === 'CREATE2')) this.#deploy(frame);
    const { halt, output } = frame;
    if (halt !== STOPPED) {
      journal.revert(frame.mark);
      journal.logs.length = frame.logMark;
      journal.refund = frame.refundMark;
      stateGas.undo(frame, frame.reservoirMark);
    }
    const { gas } = frame;
    this.#unused?.give(frame);
    const isFailure = halt !== STOPPED && halt !== REVERTED;
    this.#answer(caller, request, {
      halt,
      opcode,
      gasLeft: isFailure ? 0 : gas,
      output: isFailure ? NO_BYTES : output,
    });
  }

  /** Makes the output of init code the contract's code. */
  #deploy(frame: Frame): void {
    const { journal, rules } = this.#context;
    const { output } = frame;
    const gas = rules.gas.codeByte * output.length + rules.gas.codeWord * Math.ceil(output.length / 32);
    if (output.length > rules.maxCodeBytes) frame.halt = CODE_TOO_LARGE;
    else if (rules.refusesFormatByte && output[0] === FORMAT_BYTE) frame.halt = CODE_FORMAT;
    else if (gas <= frame.gas) {
      frame.gas -= gas;
      if (frame.chargeState(rules.stateGas.codeByte * output.length)) journal.setCode(frame.account, output);
      else frame.halt = CODE_STORE_OUT_OF_GAS;
    } else if (rules.failsWithoutCodeGas) frame.halt = CODE_STORE_OUT_OF_GAS;
    // In Frontier it becomes a contract without code.
    else frame.output = NO_BYTES;
  }

  /** Gives the result to the caller, which continues. */
  #answer(caller: Frame | undefined, request: CallRequest, result: Ended): void {
    const { halt, gasLeft, output, opcode } = result;
    const { kind, gas, account } = request;
    this.#context.hooks?.exit?.({ output, gasUsed: gas - gasLeft, error: haltText(halt, opcode) });
    if (caller === undefined) {
      this.#ended = result;
      return;
    }
    const isCreation = kind === 'CREATE' || kind === 'CREATE2';
    caller.gas += gasLeft;
    const { stateGas } = this.#context;
    stateGas.settle(caller);
    if (halt !== STOPPED && request.stateGas > 0) stateGas.refill(caller, request.stateGas);
    caller.halt = RUNNING;
    caller.returned = isCreation && halt === STOPPED ? NO_BYTES : output;
    if (halt !== STOPPED) setSmall(caller.stack, caller.top, 0);
    else if (isCreation) setHex(caller.stack, caller.top, account.address);
    else setSmall(caller.stack, caller.top, 1);
    caller.top += PARTS;
    const length = Math.min(request.outputLength, output.length);
    if (length > 0) caller.memory.write(request.outputAt, output, 0, length);
  }
}

const ended = (halt: number, gasLeft: number): Ended => ({ halt, opcode: 0, gasLeft, output: NO_BYTES });

/** Whether there is a contract already (EIP-684, EIP-7610). */
function isTaken({ nonce, codeHash, storageRoot }: Account): boolean {
  return nonce !== 0n || codeHash !== EMPTY_CODE_HASH || storageRoot !== EMPTY_ROOT;
}
