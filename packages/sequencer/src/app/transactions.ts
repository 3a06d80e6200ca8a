import {
  decodeTransaction,
  type SequencerTransaction,
  type TxHash,
  txHashOf,
  verify,
  verifyStrict,
} from '@switchyard/protocol';

/**
 * Decodes transactions, each of them once: what a proposal hands to its own engine comes back as the same byte array, and
 * what is held in the pool was verified when it came in.
 */
export class Transactions {
  readonly #held: (hash: TxHash) => SequencerTransaction | undefined;
  /** Lives exactly as long as the bytes do. */
  readonly #decoded = new WeakMap<Uint8Array, SequencerTransaction>();

  constructor(deps: { held(hash: TxHash): SequencerTransaction | undefined }) {
    this.#held = deps.held;
  }

  /**
   * At the door: odd signatures that the rules would allow are refused at once, since deciding about them is slow.
   *
   * @throws {Rejected}
   */
  admit(bytes: Uint8Array, hash: TxHash): SequencerTransaction {
    return this.#remember(bytes, decodeTransaction(bytes, verifyStrict, hash));
  }

  /**
   * In a block, where every node must decide alike.
   *
   * @throws {Rejected}
   */
  inBlock(bytes: Uint8Array): SequencerTransaction {
    const decoded = this.#decoded.get(bytes);
    if (decoded !== undefined) return decoded;
    const hash = txHashOf(bytes);
    return this.#held(hash) ?? this.#remember(bytes, decodeTransaction(bytes, verify, hash));
  }

  #remember(bytes: Uint8Array, tx: SequencerTransaction): SequencerTransaction {
    this.#decoded.set(bytes, tx);
    return tx;
  }
}
