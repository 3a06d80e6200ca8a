import type { EVM } from '@ethereumjs/evm';
import { type Account, type Address, createAddressFromString } from '@ethereumjs/util';

/*
 * What a transaction has touched and warmed, for EthereumJS's machine. The library's own journal keeps three
 * collections for each call until the transaction ends, which a contract can make a gigabyte; here a call leaves
 * nothing behind but what it was the first to touch.
 */

type StateManager = EVM['stateManager'];

/** Puts one into the machine. @param evm With Cancun's rules. */
export function usePatchedJournal(evm: EVM): void {
  // The library's type is a class with private members, of which nothing outside of it makes use.
  (evm as { journal: unknown }).journal = new PatchedJournal(evm.stateManager, evm.precompiles);
}

/** The precompiled contract at 3 stays touched, whatever fails: so it was once on Ethereum, and so it is kept (EIP-161). */
const RIPEMD = '0000000000000000000000000000000000000003';

type Undo =
  | { readonly kind: 'touched' | 'address'; readonly address: string }
  | { readonly kind: 'slot'; readonly address: string; readonly slot: string };

/** Addresses and slots are hex without `0x`. */
export class PatchedJournal {
  readonly #state: StateManager;
  /** Precompiled contracts are warm in every transaction (EIP-2929). */
  readonly #precompiles: { has(address: string): boolean };
  #warm = new Map<string, Set<string>>();
  /** Without a set: no slots. */
  #alwaysWarm = new Map<string, Set<string> | undefined>();
  #touched = new Set<string>();
  #undo: Undo[] = [];
  #marks: number[] = [];

  constructor(state: StateManager, precompiles: { has(address: string): boolean }) {
    this.#state = state;
    this.#precompiles = precompiles;
  }

  async putAccount(address: Address, account: Account | undefined): Promise<void> {
    this.touch(address);
    await this.#state.putAccount(address, account);
  }

  async deleteAccount(address: Address): Promise<void> {
    this.touch(address);
    await this.#state.deleteAccount(address);
  }

  async checkpoint(): Promise<void> {
    this.#marks.push(this.#undo.length);
    await this.#state.checkpoint();
  }

  async commit(): Promise<void> {
    this.#marks.pop();
    await this.#state.commit();
  }

  async revert(): Promise<void> {
    const mark = this.#marks.pop() ?? 0;
    for (const undo of this.#undo.splice(mark).reverse()) {
      if (undo.kind === 'slot') this.#warm.get(undo.address)?.delete(undo.slot);
      else if (undo.kind === 'address') this.#warm.delete(undo.address);
      else if (undo.address !== RIPEMD) this.#touched.delete(undo.address);
    }
    await this.#state.revert();
  }

  cleanJournal(): void {
    this.#warm = new Map();
    this.#alwaysWarm = new Map();
    this.#touched = new Set();
    this.#undo = [];
    this.#marks = [];
  }

  /** Removes accounts that were touched and are empty (EIP-161), and forgets everything. */
  async cleanup(): Promise<void> {
    for (const digits of this.#touched) {
      const address = createAddressFromString(`0x${digits}`);
      const account = await this.#state.getAccount(address);
      if (account === undefined || account.isEmpty()) await this.#state.deleteAccount(address);
    }
    this.cleanJournal();
  }

  addAlwaysWarmAddress(address: string): void {
    const key = unprefixed(address);
    if (!this.#alwaysWarm.has(key)) this.#alwaysWarm.set(key, undefined);
  }

  addAlwaysWarmSlot(address: string, slot: string): void {
    const key = unprefixed(address);
    const slots = this.#alwaysWarm.get(key) ?? new Set();
    this.#alwaysWarm.set(key, slots.add(unprefixed(slot)));
  }

  isWarmedAddress(address: Uint8Array): boolean {
    const key = hex(address);
    return this.#warm.has(key) || this.#alwaysWarm.has(key) || this.#precompiles.has(key);
  }

  addWarmedAddress(address: Uint8Array): void {
    this.#warmAddress(hex(address));
  }

  isWarmedStorage(address: Uint8Array, slot: Uint8Array): boolean {
    const [key, at] = [hex(address), hex(slot)];
    return this.#warm.get(key)?.has(at) === true || this.#alwaysWarm.get(key)?.has(at) === true;
  }

  addWarmedStorage(address: Uint8Array, slot: Uint8Array): void {
    const [key, at] = [hex(address), hex(slot)];
    const slots = this.#warmAddress(key);
    if (slots.has(at)) return;
    slots.add(at);
    this.#undo.push({ kind: 'slot', address: key, slot: at });
  }

  #warmAddress(address: string): Set<string> {
    const known = this.#warm.get(address);
    if (known !== undefined) return known;
    const slots = new Set<string>();
    this.#warm.set(address, slots);
    this.#undo.push({ kind: 'address', address });
    return slots;
  }

  /** Looks at the account when the transaction ends: see `cleanup`. */
  touch(address: Address): void {
    const key = hex(address.bytes);
    if (this.#touched.has(key)) return;
    this.#touched.add(key);
    this.#undo.push({ kind: 'touched', address: key });
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

function unprefixed(text: string): string {
  return text.startsWith('0x') ? text.slice(2) : text;
}
