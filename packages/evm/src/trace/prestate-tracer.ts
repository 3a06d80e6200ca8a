import { EMPTY_CODE_HASH } from '@switchyard/evm-machine/account';
import { createdAddress } from '@switchyard/evm-machine/created-address';
import { OPCODE, toAddress } from '@switchyard/evm-machine/opcodes';
import type { StateReader } from '@switchyard/evm-machine/state';
import type { Address, Data, Hash } from '@switchyard/evm-machine/types';
import { bytesToHex, quantity, toWord } from '@switchyard/protocol/ethereum';
import { Budget, WORD_LENGTH } from './budget.ts';
import type { FrameStart, Step, Tracer, TraceStart } from './tracer.ts';

export interface PrestateTracerOptions {
  readonly diffMode?: boolean;
  readonly disableCode?: boolean;
  readonly disableStorage?: boolean;
  /** Also accounts that were not there; not with `diffMode`. */
  readonly includeEmpty?: boolean;
}

export interface Account {
  readonly balance: bigint;
  readonly nonce: bigint;
  readonly code: Data;
  readonly codeHash: Hash | undefined;
  readonly storage: Map<Hash, bigint>;
}

/** `after` is undefined if it is gone. */
export interface AccountChange {
  readonly address: Address;
  readonly before: Account;
  readonly after: Account | undefined;
}

/** An account as JSON; members that are 0 or empty are absent, except the balance. */
interface AccountJson {
  balance?: Data;
  nonce?: number;
  code?: Data;
  codeHash?: Hash;
  storage?: Record<Hash, Hash>;
}

/** Opcodes that look at the account at the top of the stack. */
const LOOKS: ReadonlySet<number> = new Set([
  OPCODE.balance,
  OPCODE.extcodesize,
  OPCODE.extcodecopy,
  OPCODE.extcodehash,
]);

/** Address, names and numbers of an account, at most, before and after. */
const ACCOUNT_LENGTH = 2 * 270;

/** Go-ethereum's `prestateTracer`: the accounts of a transaction in the state before it, or its changes. */
export class PrestateTracer implements Tracer {
  readonly #options: PrestateTracerOptions;
  readonly #budget: Budget;
  readonly #seen = new Map<Address, Account>();
  #state: StateReader | undefined;
  /** Takes back the additions of the running instruction. */
  #forget: (() => void) | undefined;

  constructor(options: PrestateTracerOptions = {}, budget = new Budget()) {
    this.#options = options;
    this.#budget = budget;
  }

  /** Called before anything has changed. */
  start({ from, to, coinbase, state }: TraceStart): void {
    this.#state = state;
    this.#account(from);
    const nonce = state.account(from)?.nonce ?? 0n;
    this.#account(to ?? createdAddress(from, nonce));
    this.#account(coinbase);
  }

  /** Calls, creations and self-destructions; those of the transaction itself are known from the start. */
  enter({ to, depth }: FrameStart): void {
    if (depth > 0) this.#account(to);
  }

  step(step: Step): void {
    const { opcode, stackSize } = step;
    this.#forget = undefined;
    if (stackSize === 0) return;
    if (LOOKS.has(opcode)) this.#look(toAddress(step.peek(0)));
    else if (opcode === OPCODE.sload || opcode === OPCODE.sstore) this.#slot(step);
  }

  /** An instruction that could not be paid has not looked. */
  stepped(_: number, error: string | undefined): void {
    if (error !== undefined) this.#forget?.();
  }

  result(): unknown {
    if (this.#options.diffMode === true) return this.#difference();
    const { includeEmpty = false } = this.#options;
    const shown = [...this.#seen].filter(([, account]) => includeEmpty || !isEmpty(account));
    return Object.fromEntries(shown.map(([address, account]) => [address, this.#json(account)]));
  }

  /** All accessed values, before and after. */
  changed(): readonly AccountChange[] {
    return [...this.#seen].map(([address, before]) => {
      const gone = !isEmpty(before) && this.#read(address) === undefined;
      return { address, before, after: gone ? undefined : this.#readAll(address, before.storage.keys()) };
    });
  }

  #difference(): unknown {
    const pre: Record<Address, AccountJson> = {};
    const post: Record<Address, AccountJson> = {};
    for (const { address, before, after } of this.changed()) {
      if (after !== undefined) {
        const changes = this.#changes(before, after);
        if (Object.keys(changes).length === 0) continue;
        post[address] = withoutEmpty(changes);
      }
      if (isEmpty(before)) continue;
      const isKept = ([slot, value]: [Hash, bigint]) => value !== 0n && value !== after?.storage.get(slot);
      pre[address] = this.#json({ ...before, storage: new Map([...before.storage].filter(isKept)) });
    }
    return { pre, post };
  }

  #changes(before: Account, after: Account): AccountJson {
    const changes: AccountJson = {};
    if (before.balance !== after.balance) changes.balance = quantity(after.balance);
    if (before.nonce !== after.nonce) changes.nonce = Number(after.nonce);
    if (before.code !== after.code && this.#options.disableCode !== true) changes.code = after.code;
    if (before.codeHash !== after.codeHash && after.codeHash !== undefined) changes.codeHash = after.codeHash;
    const slots = [...after.storage].filter(([slot, value]) => value !== before.storage.get(slot));
    // Present, if empty, if slots were only cleared: something has changed.
    if (slots.length > 0) changes.storage = words(slots.filter(([, value]) => value !== 0n));
    return changes;
  }

  #json({ balance, nonce, code, codeHash, storage }: Account): AccountJson {
    const json: AccountJson = { balance: quantity(balance) };
    if (nonce > 0n) json.nonce = Number(nonce);
    if (code !== '0x') json.code = code;
    if (codeHash !== undefined) json.codeHash = codeHash;
    if (storage.size > 0) json.storage = words(storage);
    return json;
  }

  #account(address: Address): void {
    if (this.#seen.has(address)) return;
    const account = this.#readAll(address, []);
    this.#budget.take(ACCOUNT_LENGTH + account.code.length);
    this.#seen.set(address, account);
  }

  #look(address: Address): void {
    if (this.#seen.has(address)) return;
    this.#account(address);
    this.#forget = () => this.#seen.delete(address);
  }

  #slot(step: Step): void {
    if (this.#options.disableStorage === true) return;
    const { address } = step;
    this.#account(address);
    const slot = toWord(step.peek(0));
    const storage = this.#seen.get(address)?.storage;
    if (storage === undefined || storage.has(slot)) return;
    this.#budget.take(4 * WORD_LENGTH);
    storage.set(slot, this.#state?.storage(address, slot) ?? 0n);
    this.#forget = () => storage.delete(slot);
  }

  #read(address: Address): ReturnType<StateReader['account']> {
    return this.#state?.account(address);
  }

  #readAll(address: Address, slots: Iterable<Hash>): Account {
    const account = this.#read(address);
    const codeHash = account?.codeHash === EMPTY_CODE_HASH ? undefined : account?.codeHash;
    const code = codeHash === undefined || this.#options.disableCode === true ? undefined : this.#state?.code(codeHash);
    return {
      balance: account?.balance ?? 0n,
      nonce: account?.nonce ?? 0n,
      code: code === undefined ? '0x' : bytesToHex(code),
      codeHash,
      storage: new Map([...slots].map((slot) => [slot, this.#state?.storage(address, slot) ?? 0n])),
    };
  }
}

/** Whether there is no such account. */
export function isEmpty({ balance, nonce, codeHash }: Account): boolean {
  return balance === 0n && nonce === 0n && codeHash === undefined;
}

function withoutEmpty(json: AccountJson): AccountJson {
  if (json.storage !== undefined && Object.keys(json.storage).length === 0) delete json.storage;
  return json;
}

function words(slots: Iterable<readonly [Hash, bigint]>): Record<Hash, Hash> {
  return Object.fromEntries([...slots].map(([slot, value]) => [slot, toWord(value)]));
}
