import type { Candidate } from '../embedded/entries.ts';
import type { Prober, Settled } from './decide.ts';
import type { EvmProber } from './evm-prober.ts';
import type { Payload } from './payload.ts';

/** Builds of one block that only find out how much gas its beginning uses; each goes over the block from its start. */
const MAX_BUILDS = 8;

export interface BlockProberDeps {
  /** Builds a block of these on the parent; geth's head stays unchanged. */
  readonly build: (included: readonly Candidate[]) => Promise<Payload>;
  readonly evm: () => EvmProber;
}

/** Lets geth find out about gas while that is cheap, and the embedded rules about everything else. */
export class BlockProber implements Prober {
  readonly #deps: BlockProberDeps;
  #builds = 0;
  #evm: EvmProber | undefined;
  #last: { readonly length: number; readonly payload: Payload } | undefined;

  constructor(deps: BlockProberDeps) {
    this.#deps = deps;
  }

  /** Blocks built by geth on request, for metrics. */
  get builds(): number {
    return this.#builds;
  }

  get executed(): boolean {
    return this.#evm !== undefined;
  }

  async gasUsed(included: readonly Candidate[]): Promise<bigint | undefined> {
    if (this.#evm !== undefined || this.#builds >= MAX_BUILDS) return undefined;
    return (await this.payload(included)).header.gasUsed;
  }

  settle(included: readonly Candidate[]): Promise<Settled> {
    this.#evm ??= this.#deps.evm();
    return this.#evm.settle(included);
  }

  /** The block of these; built again unless it was the last that was. Each list begins with the one before. */
  async payload(included: readonly Candidate[]): Promise<Payload> {
    if (this.#last?.length !== included.length) {
      this.#builds += 1;
      this.#last = { length: included.length, payload: await this.#deps.build(included) };
    }
    return this.#last.payload;
  }
}
