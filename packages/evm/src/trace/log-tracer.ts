import type { Address, Hash, Log } from '@switchyard/evm-machine/types';
import { hexToBytes, toWord } from '@switchyard/protocol/ethereum';
import type { FrameEnd, FrameStart, Tracer } from './tracer.ts';

/** Keccak-256 of `Transfer(address,address,uint256)`. */
const TRANSFER: Hash = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** The address that `eth_simulateV1` gives as the source of transfers of the native coin. */
const NATIVE: Address = `0x${'ee'.repeat(20)}`;

export interface NumberedLog {
  readonly log: Log;
  /** Among all that were written in the block, reverted ones included: go-ethereum numbers them so. */
  readonly index: number;
}

/** Logs of transactions, in the order in which things happened. */
export class LogTracer implements Tracer<readonly NumberedLog[]> {
  readonly #transfers: boolean;
  /** How many logs there were when each open frame began: a failing frame takes its own back. */
  readonly #marks: number[] = [];
  #logs: NumberedLog[] = [];
  #count = 0;

  /** @param transfers With one log for each movement of the native coin. */
  constructor(transfers: boolean) {
    this.#transfers = transfers;
  }

  enter({ kind, from, to, value = 0n }: FrameStart): void {
    this.#marks.push(this.#logs.length);
    const stays = kind === 'DELEGATECALL' || kind === 'CALLCODE';
    if (!this.#transfers || stays || value === 0n) return;
    this.#add({
      address: NATIVE,
      topics: [TRANSFER, toWord(BigInt(from)), toWord(BigInt(to))],
      data: hexToBytes(toWord(value)),
    });
  }

  exit({ error }: FrameEnd): void {
    const mark = this.#marks.pop();
    if (error !== undefined && mark !== undefined) this.#logs.length = mark;
  }

  log(log: Log): void {
    this.#add(log);
  }

  /** Logs of the transaction that ended. The next one begins. */
  result(): readonly NumberedLog[] {
    const logs = this.#logs;
    this.#logs = [];
    return logs;
  }

  #add(log: Log): void {
    this.#logs.push({ log, index: this.#count });
    this.#count += 1;
  }
}
