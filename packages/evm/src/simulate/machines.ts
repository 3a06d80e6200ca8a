import type { Common } from '@ethereumjs/common';
import type { Hash } from '../types.ts';
import { Inapplicable } from './checks.ts';
import { Machine } from './machine.ts';

/** Making an interpreter takes longer than most calls do, so they are used again. */
export class Machines {
  readonly #blockHash: (number: bigint) => Hash | undefined;
  /** By fork. */
  readonly #idle = new Map<string, Machine[]>();
  readonly #maxIdle: number;

  /** @param maxIdle For each fork. */
  constructor(blockHash: (number: bigint) => Hash | undefined, maxIdle: number) {
    this.#blockHash = blockHash;
    this.#maxIdle = maxIdle;
  }

  /** Lends one to `work`. One that failed in the middle of something is not used again. */
  async lend<T>(rules: Common, work: (machine: Machine) => Promise<T>): Promise<T> {
    const fork = rules.hardfork();
    const machine = this.#idle.get(fork)?.pop() ?? (await Machine.create({ rules, blockHash: this.#blockHash }));
    try {
      const result = await work(machine);
      this.#giveBack(fork, machine);
      return result;
    } catch (error) {
      if (error instanceof Inapplicable) this.#giveBack(fork, machine);
      throw error;
    }
  }

  #giveBack(fork: string, machine: Machine): void {
    const idle = this.#idle.get(fork) ?? [];
    if (idle.length < this.#maxIdle) idle.push(machine);
    this.#idle.set(fork, idle);
  }
}
