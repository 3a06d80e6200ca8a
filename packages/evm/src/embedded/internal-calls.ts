import type { EVMResult, Message } from '@ethereumjs/evm';
import type { InternalCall } from '../chain/chain.ts';
import type { StateReader } from '../state/state.ts';
import type { Address } from '../types.ts';

/** Gas may buy many calls of nothing; of a transaction with more, only the first are kept. */
const MAX_CALLS = 10_000;

interface Frame {
  readonly message: Message;
  /** How many calls were collected before it: a frame that fails takes with it what came after. */
  readonly mark: number;
  readonly wasDestroyed: boolean;
  /** The library gives the message of a creation a recipient on the way. */
  readonly isCreation: boolean;
  readonly address: Address | undefined;
  readonly balance: bigint;
}

/**
 * Collects what happens inside a transaction to balances and contracts, from the messages of the interpreter.
 * A SELFDESTRUCT is no message: its amount is what the contract had and received in its frame and has no longer.
 */
export class InternalCalls {
  readonly #state: StateReader;
  #frames: Frame[] = [];
  #calls: InternalCall[] = [];

  constructor(state: StateReader) {
    this.#state = state;
  }

  begin(): void {
    this.#frames = [];
    this.#calls = [];
  }

  /** What was collected since `begin`; undefined for nothing. */
  end(): readonly InternalCall[] | undefined {
    return this.#calls.length === 0 ? undefined : this.#calls;
  }

  enter(message: Message): void {
    // Code that runs for another contract belongs to that one.
    const address = message.delegatecall ? this.#frames.at(-1)?.address : addressOf(message.to);
    this.#frames.push({
      message,
      mark: this.#calls.length,
      // What the call creates was not: its address is not known yet.
      wasDestroyed: address !== undefined && message.selfdestruct?.has(address) === true,
      isCreation: message.to === undefined,
      address,
      balance: address === undefined ? 0n : this.#balance(address),
    });
    const isCall = message.depth > 0 && !message.delegatecall && message.to !== undefined;
    const to = addressOf(message.to);
    if (isCall && to !== undefined && message.value > 0n) this.#add('call', message, to);
  }

  leave({ execResult, createdAddress }: EVMResult): void {
    const frame = this.#frames.pop();
    if (frame === undefined) return;
    if (execResult.exceptionError !== undefined) {
      this.#calls.length = frame.mark;
      return;
    }
    const { message } = frame;
    const created = addressOf(createdAddress);
    if (frame.isCreation && created !== undefined && message.depth > 0) {
      this.#add(message.salt === undefined ? 'create' : 'create2', message, created, frame.mark);
    }
    const own = frame.address ?? created;
    const beneficiary = own === undefined ? undefined : execResult.selfdestruct?.get(own);
    if (own === undefined || beneficiary === undefined || frame.wasDestroyed) return;
    const held = this.#held(own, frame);
    const moved = held - this.#balance(own);
    // Calls beyond the bound are not counted, so that the difference may be wrong there.
    const value = moved > 0n ? moved : 0n;
    this.#push({ kind: 'selfdestruct', from: own, to: beneficiary, value, depth: message.depth + 1 });
  }

  /** What a contract had before it destroyed itself: at the beginning of the frame, and with what moved since. */
  #held(address: Address, { message, mark, balance }: Frame): bigint {
    // The top call is not among the collected.
    let held = balance + (message.depth === 0 && !message.delegatecall ? message.value : 0n);
    for (const { from, to, value } of this.#calls.slice(mark)) {
      if (to === address) held += value;
      if (from === address) held -= value;
    }
    return held;
  }

  #add(kind: InternalCall['kind'], { caller, value, depth }: Message, to: Address, at?: number): void {
    const from = addressOf(caller);
    if (from !== undefined) this.#push({ kind, from, to, value, depth }, at);
  }

  #push(call: InternalCall, at = this.#calls.length): void {
    if (this.#calls.length < MAX_CALLS) this.#calls.splice(at, 0, call);
  }

  #balance(address: Address): bigint {
    return this.#state.account(address)?.balance ?? 0n;
  }
}

/** The library's address as our text. */
function addressOf(address: { toString(): string } | undefined): Address | undefined {
  // It prints as lower-case hex with 0x.
  return address === undefined ? undefined : (address.toString() as Address);
}
