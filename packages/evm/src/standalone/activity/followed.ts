import type { FrameEnd } from '@switchyard/evm-machine/hooks';
import type { Data } from '@switchyard/evm-machine/types';
import { bytesToHex } from '@switchyard/protocol/ethereum';
import { revertReason } from '../../json/errors.ts';
import type { FrameStart, Tracer } from '../../trace/tracer.ts';
import { CONSOLE, consoleLine } from './console.ts';

export interface Failure {
  /** One line for people. */
  readonly reason: string;
  /** Output that no reason could be read from, such as an error that the contract declares. */
  readonly data?: Data;
}

/** Lines of one transaction or call; a loop may print very many. */
const MAX_LINES = 1_000;
const SELECTOR_BYTES = 4;

/** Collects from an execution the facts for a log line. */
export class Followed implements Tracer<undefined> {
  /** Lines that contracts printed, also those whose call was undone later. */
  readonly printed: string[] = [];
  failure: Failure | undefined;
  #depth = 0;

  readonly enter = ({ to, input }: Pick<FrameStart, 'to' | 'input'>): void => {
    this.#depth += 1;
    if (to !== CONSOLE || this.printed.length >= MAX_LINES) return;
    const line = consoleLine(input);
    if (line !== undefined) this.printed.push(line);
  };

  readonly exit = ({ error, output }: FrameEnd): void => {
    this.#depth -= 1;
    if (this.#depth === 0 && error !== undefined) this.failure = toFailure(error, output);
  };

  result(): undefined {
    return undefined;
  }
}

/** @param error In geth's words. */
function toFailure(error: string, output: Uint8Array): Failure {
  if (error !== 'execution reverted') return { reason: error };
  const data = bytesToHex(output);
  const reason = revertReason(data);
  if (reason !== undefined) return { reason };
  if (output.length < SELECTOR_BYTES) return { reason: 'reverted without a reason' };
  return { reason: `custom error ${bytesToHex(output.subarray(0, SELECTOR_BYTES))}`, data };
}
