import {
  decodeTransaction,
  type SequencerTransaction,
  type TxHash,
  txHashOf,
  verify,
  verifyStrict,
} from '@switchyard/protocol';

/** Decodes transactions. Those held in the pool were verified when they came in, and are not verified again. */
export class Transactions {
  readonly #held: (hash: TxHash) => SequencerTransaction | undefined;

  constructor(deps: { held(hash: TxHash): SequencerTransaction | undefined }) {
    this.#held = deps.held;
  }

  /**
   * At intake. Odd signatures that the rules would allow are refused at once, since deciding about them is slow, and so are
   * envelopes in another than their one encoding, on chains too whose blocks may hold them.
   *
   * @throws {Rejected}
   */
  admit(bytes: Uint8Array, hash: TxHash): SequencerTransaction {
    return decodeTransaction(bytes, verifyStrict, hash, true);
  }

  /**
   * In a block, on which every node must decide alike.
   *
   * @param canonical A rule of the chain.
   * @throws {Rejected}
   */
  inBlock(bytes: Uint8Array, canonical: boolean): SequencerTransaction {
    const hash = txHashOf(bytes);
    return this.#held(hash) ?? decodeTransaction(bytes, verify, hash, canonical);
  }
}
