import type { Address, Data, Log } from '@switchyard/evm-machine/types';
import type { Outcome } from '@switchyard/evm-machine/values';
import { bytesToHex, quantity } from '@switchyard/protocol/ethereum';
import { revertReason } from '../json/errors.ts';
import { Budget, LOG_LENGTH } from './budget.ts';
import type { FrameEnd, FrameKind, FrameStart, Tracer } from './tracer.ts';

export interface CallTracerOptions {
  readonly onlyTopCall?: boolean;
  readonly withLog?: boolean;
}

/** A frame as `callTracer` answers it. */
export interface CallFrame {
  readonly from: Address;
  readonly gas: Data;
  gasUsed: Data;
  to?: Address;
  readonly input: Data;
  output?: Data;
  error?: string;
  revertReason?: string;
  calls?: CallFrame[];
  logs?: CallLog[];
  readonly value?: Data;
  readonly type: FrameKind;
}

interface CallLog extends Omit<Log, 'data'> {
  readonly data: Data;
  /** How many calls of the frame came before it. */
  readonly position: Data;
  /** Among all logs of the transaction, those of frames that failed included. */
  readonly index: Data;
}

/** Go-ethereum's `callTracer`: the tree of calls. */
export class CallTracer implements Tracer<CallFrame> {
  /** Undefined if logs are not requested. */
  readonly log: Tracer['log'];
  readonly #options: CallTracerOptions;
  readonly #gasLimit: bigint;
  readonly #budget: Budget;
  readonly #open: CallFrame[] = [];
  #top: CallFrame | undefined;
  #skipped = 0;
  #logs = 0;

  /** @param gasLimit Of the transaction, which its own frame shows as gas. */
  constructor(gasLimit: bigint, options: CallTracerOptions = {}, budget = new Budget()) {
    this.#gasLimit = gasLimit;
    this.#budget = budget;
    this.#options = options;
    this.log = options.withLog === true ? (log) => this.#log(log) : undefined;
  }

  enter({ kind, depth, from, to, value, input, gas }: FrameStart): void {
    if (this.#options.onlyTopCall === true && depth > 0) {
      this.#skipped += 1;
      return;
    }
    this.#budget.take(FRAME_LENGTH + 2 * input.length);
    const frame: CallFrame = {
      from,
      gas: quantity(depth === 0 ? this.#gasLimit : gas),
      gasUsed: '0x0',
      to,
      input: bytesToHex(input),
      ...(value === undefined ? {} : { value: quantity(value) }),
      type: kind,
    };
    const parent = this.#open.at(-1);
    if (parent === undefined) this.#top = frame;
    else {
      parent.calls ??= [];
      parent.calls.push(frame);
    }
    this.#open.push(frame);
  }

  exit({ output, gasUsed, error }: FrameEnd): void {
    if (this.#skipped > 0) {
      this.#skipped -= 1;
      return;
    }
    const frame = this.#open.pop();
    if (frame === undefined) return;
    this.#budget.take(2 * output.length);
    frame.gasUsed = quantity(gasUsed);
    if (error === undefined) {
      if (output.length > 0) frame.output = bytesToHex(output);
      return;
    }
    this.#budget.take(error.length);
    frame.error = error;
    if (frame.type === 'CREATE' || frame.type === 'CREATE2') delete frame.to;
    dropLogs(frame);
    if (error !== REVERTED || output.length === 0) return;
    frame.output = bytesToHex(output);
    const reason = revertReason(frame.output);
    if (reason === undefined) return;
    this.#budget.take(6 * reason.length);
    frame.revertReason = reason;
  }

  result({ gasUsed }: Outcome): CallFrame {
    if (this.#top === undefined) throw new Error('the transaction had no frame');
    return { ...this.#top, gasUsed: quantity(gasUsed) };
  }

  #log(log: Log): void {
    const frame = this.#open.at(-1);
    if (frame === undefined || this.#skipped > 0) return;
    this.#budget.take(LOG_LENGTH + 2 * log.data.length);
    frame.logs ??= [];
    const { address, topics, data } = log;
    frame.logs.push({
      address,
      topics,
      data: bytesToHex(data),
      position: quantity(frame.calls?.length ?? 0),
      index: quantity(this.#logs),
    });
    this.#logs += 1;
  }
}

/** Names, addresses and numbers of a frame, at most. */
const FRAME_LENGTH = 400;

const REVERTED = 'execution reverted';

/** Removes the logs of a frame that failed, and of all that it called. */
function dropLogs(failed: CallFrame): void {
  const frames = [failed];
  for (let frame = frames.pop(); frame !== undefined; frame = frames.pop()) {
    delete frame.logs;
    for (const each of frame.calls ?? []) frames.push(each);
  }
}
