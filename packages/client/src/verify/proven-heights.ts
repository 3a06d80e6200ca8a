/** Heights of the nodes of one chain, as proved by their commits, not as claimed. */
import { Rejected, type SignedHeader, toHex, type Validator, verifyCommit } from '@switchyard/protocol';
import { type Clock, sleep } from '@switchyard/service';
import { isBackedBy } from './validator-trust.ts';

/** Evidence that a node shows for a height that it claims. */
export interface ProofSource {
  /** @param hash Hash of the block that is meant, if it is known. */
  commit(height: bigint, signal: AbortSignal, hash?: Uint8Array): Promise<SignedHeader>;
  /** @param hash Hash of the set that is meant, if it is known. */
  validators(height: bigint, signal: AbortSignal, hash?: Uint8Array): Promise<readonly Validator[]>;
}

/** Nodes whose commits are signed by one line of validator sets. */
interface Line<K> {
  validators: readonly Validator[];
  validatorsHash: string;
  height: bigint;
  /** When each node last proved a height. */
  readonly seenAt: Map<K, number>;
}

/** A node that has proved nothing for this long no longer speaks for its line. */
const SPEAKS_FOR_MS = 60_000;
/** A node may know a height a moment before it serves the commit. */
const SECOND_LOOK_MS = 200;

/**
 * Accepts the height of a node when it shows a commit for it: more than two thirds of a validator set have signed, and
 * that set is the one already known or shares a third of its power with it. If the nodes disagree about the set, the
 * set that most of them follow counts, and the earlier one of two. A height that is only claimed changes nothing.
 */
export class ProvenHeights<K> {
  readonly #options: { readonly chainId: string; readonly clock: Clock };
  readonly #heights = new Map<K, bigint>();
  /** In the order in which they were seen first. */
  #lines: Line<K>[] = [];

  constructor(options: { readonly chainId: string; readonly clock: Clock }) {
    this.#options = options;
  }

  /** The highest height that was proved by the validators that count; 0 before the first. */
  get highest(): bigint {
    return this.#trusted()?.height ?? 0n;
  }

  /** Height that this node has proved last. */
  of(node: K): bigint | undefined {
    return this.#heights.get(node);
  }

  /**
   * Resolves with the claimed height when the node has proved it.
   *
   * @throws {Rejected} if it proves the data invalid. Any other error proves nothing.
   */
  async prove(node: K, source: ProofSource, claimed: bigint, signal: AbortSignal): Promise<bigint> {
    const line = this.#lines.find(({ seenAt }) => seenAt.has(node));
    const isKnown = line !== undefined && line === this.#trusted() && claimed <= (this.#heights.get(node) ?? 0n);
    if (isKnown || claimed === 0n) {
      if (line !== undefined) line.seenAt.set(node, this.#options.clock.now());
      return claimed;
    }
    const { signed, validators } = await this.#shown(source, claimed, signal);
    verifyCommit(this.#options.chainId, validators, signed);
    this.#enter(node, claimed, signed, validators);
    return claimed;
  }

  async #shown(source: ProofSource, height: bigint, signal: AbortSignal) {
    const signed = await source.commit(height, signal).catch(async (error: unknown) => {
      if (error instanceof Rejected) throw error;
      await sleep(SECOND_LOOK_MS, signal, this.#options.clock);
      return source.commit(height, signal);
    });
    if (signed.header.height !== height) {
      throw new Rejected('malformed', {
        problem: 'commit of another height',
        expected: height,
        got: signed.header.height,
      });
    }
    const hash = toHex(signed.header.validatorsHash);
    const known = this.#lines.find(({ validatorsHash }) => validatorsHash === hash);
    return { signed, validators: known?.validators ?? (await source.validators(height, signal)) };
  }

  #enter(node: K, height: bigint, signed: SignedHeader, validators: readonly Validator[]): void {
    const validatorsHash = toHex(signed.header.validatorsHash);
    let line = this.#lines.find(
      (each) => each.validatorsHash === validatorsHash || isBackedBy(each.validators, validators, signed.commit),
    );
    if (line === undefined) {
      line = { validators, validatorsHash, height, seenAt: new Map() };
      this.#lines.push(line);
    }
    for (const other of this.#lines) if (other !== line) other.seenAt.delete(node);
    line.seenAt.set(node, this.#options.clock.now());
    this.#lines = this.#lines.filter(({ seenAt }) => seenAt.size > 0);
    if (height >= line.height) Object.assign(line, { height, validators, validatorsHash });
    if (line !== this.#trusted()) {
      this.#heights.delete(node);
      throw new Rejected('malformed', {
        height,
        problem: 'it is signed by other validators than those of the other nodes',
      });
    }
    this.#heights.set(node, height);
  }

  /** The line that most nodes speak for; of two alike the older one. */
  #trusted(): Line<K> | undefined {
    const now = this.#options.clock.now();
    const votes = ({ seenAt }: Line<K>): number =>
      [...seenAt.values()].filter((at) => now - at <= SPEAKS_FOR_MS).length;
    let best: Line<K> | undefined;
    for (const line of this.#lines) if (best === undefined || votes(line) > votes(best)) best = line;
    return best;
  }
}
