import { hexOf, wordOf } from '../hex.ts';
import type { Address, Hash } from '../types.ts';
import { addressOf } from './frames.ts';
import { type Around, OPCODE, type RunState } from './opcodes.ts';
import type { Tracer } from './tracer.ts';

export type AccessList = readonly { readonly address: Address; readonly storageKeys: readonly Hash[] }[];

/** Collects what a transaction touches and would have been cheaper to announce (EIP-2930). */
export class AccessListTracer implements Tracer<AccessList> {
  readonly opcodes: ReadonlyMap<number, Around>;
  readonly #excluded: ReadonlySet<Address>;
  readonly #touched = new Map<Address, Set<Hash>>();

  /** @param excluded Addresses that are warm anyway; listed only with slots. */
  constructor(announced: AccessList, excluded: ReadonlySet<Address>) {
    this.#excluded = excluded;
    for (const { address, storageKeys } of announced) {
      this.#touch(address);
      for (const slot of storageKeys) this.#slots(address).add(slot);
    }
    const opcodes = new Map<number, Around>();
    const before = (codes: readonly number[], look: (frame: RunState) => void): void => {
      for (const code of codes) {
        opcodes.set(code, (frame, run) => {
          look(frame);
          return run();
        });
      }
    };
    before([OPCODE.sload, OPCODE.sstore], ({ env, stack }) => {
      this.#slots(hexOf(env.address.bytes)).add(wordOf(stack.peek(1)[0] ?? 0n));
    });
    const accounts = [OPCODE.balance, OPCODE.extcodesize, OPCODE.extcodecopy, OPCODE.extcodehash, OPCODE.selfdestruct];
    before(accounts, ({ stack }) => this.#touch(addressOf(stack.peek(1)[0] ?? 0n)));
    const calls = [OPCODE.call, OPCODE.callcode, OPCODE.delegatecall, OPCODE.staticcall];
    before(calls, ({ stack }) => this.#touch(addressOf(stack.peek(2)[1] ?? 0n)));
    this.opcodes = opcodes;
  }

  result(): AccessList {
    return [...this.#touched].map(([address, slots]) => ({ address, storageKeys: [...slots] }));
  }

  #touch(address: Address): void {
    if (!this.#excluded.has(address)) this.#slots(address);
  }

  #slots(address: Address): Set<Hash> {
    const slots = this.#touched.get(address) ?? new Set<Hash>();
    this.#touched.set(address, slots);
    return slots;
  }
}
