/** Signed headers for posted blocks without one, from the sequencer: relayers of the reference post none, and anybody may post entries like theirs. */
import type { ProofSource } from '@switchyard/client';
import type { SignedHeader } from '@switchyard/protocol';
import { isTransportFailure } from '@switchyard/service';

/** Heights that are remembered. */
const MAX_HEIGHTS = 1_000;

export class AskedHeaders {
  readonly #sequencer: ProofSource;
  /** Undefined if the sequencer has answered that it has none. */
  readonly #known = new Map<bigint, SignedHeader | undefined>();
  #isAway = false;

  constructor(sequencer: ProofSource) {
    this.#sequencer = sequencer;
  }

  /** A sequencer that was away is queried again; a missing header is requested once more. */
  askAgain({ alsoAbsent }: { readonly alsoAbsent: boolean }): void {
    this.#isAway = false;
    if (!alsoAbsent) return;
    for (const [height, header] of this.#known) if (header === undefined) this.#known.delete(height);
  }

  /** @returns undefined if it is not to be had now. Not verified. */
  async at(height: bigint, signal: AbortSignal): Promise<SignedHeader | undefined> {
    if (this.#known.has(height) || this.#isAway) return this.#known.get(height);
    try {
      const header = await this.#sequencer.commit(height, signal);
      this.#remember(height, header);
      return header;
    } catch (error) {
      signal.throwIfAborted();
      // Each of ten thousand entries would wait for a time limit.
      if (isTransportFailure(error)) this.#isAway = true;
      else this.#remember(height, undefined);
      return undefined;
    }
  }

  forget(height: bigint): void {
    this.#known.delete(height);
  }

  #remember(height: bigint, header: SignedHeader | undefined): void {
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MAX_HEIGHTS && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(height, header);
  }
}
