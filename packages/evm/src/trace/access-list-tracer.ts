import { OPCODE, toAddress } from '@switchyard/evm-machine/opcodes';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import { toWord } from '@switchyard/protocol/ethereum';
import type { Step, Tracer } from './tracer.ts';

export type AccessList = readonly { readonly address: Address; readonly storageKeys: readonly Hash[] }[];

/** If an instruction has the account that it looks at, from the top of the stack. */
const ACCOUNTS: ReadonlyMap<number, number> = new Map([
  [OPCODE.balance, 0],
  [OPCODE.extcodesize, 0],
  [OPCODE.extcodecopy, 0],
  [OPCODE.extcodehash, 0],
  [OPCODE.selfdestruct, 0],
  [OPCODE.call, 1],
  [OPCODE.callcode, 1],
  [OPCODE.delegatecall, 1],
  [OPCODE.staticcall, 1],
]);

/** Collects accesses of a transaction that would have been cheaper to announce (EIP-2930). */
export class AccessListTracer implements Tracer<AccessList> {
  readonly #excluded: ReadonlySet<Address>;
  readonly #touched = new Map<Address, Set<Hash>>();

  /** @param excluded Addresses that are warm anyway; listed only with slots. */
  constructor(announced: AccessList, excluded: ReadonlySet<Address>) {
    this.#excluded = excluded;
    for (const { address, storageKeys } of announced) {
      this.#touch(address);
      for (const slot of storageKeys) this.#slots(address).add(slot);
    }
  }

  step(step: Step): void {
    const { opcode, stackSize } = step;
    const place = ACCOUNTS.get(opcode);
    if (place !== undefined && stackSize > place) this.#touch(toAddress(step.peek(place)));
    const isSlot = opcode === OPCODE.sload || opcode === OPCODE.sstore;
    if (isSlot && stackSize > 0) this.#slots(step.address).add(toWord(step.peek(0)));
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
