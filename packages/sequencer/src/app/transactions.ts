import * as protocol from '@switchyard/protocol';

/** Decodes transactions. Those held in the pool were verified when they came in, and are not verified again. */
export class Transactions {
  readonly #held: (hash: protocol.TxHash) => protocol.SequencerTransaction | undefined;

  constructor(deps: { held(hash: protocol.TxHash): protocol.SequencerTransaction | undefined }) {
    this.#held = deps.held;
  }

  /**
   * At intake. Odd signatures that the rules would allow are refused at once, since deciding about them is slow, and so are
   * envelopes in another than their one encoding, on chains too whose blocks may hold them.
   *
   * @throws {Rejected}
   */
  admit(bytes: Uint8Array, hash: protocol.TxHash): protocol.SequencerTransaction {
    return protocol.decodeTransaction(bytes, protocol.verifyStrict, hash, true);
  }

  /**
   * In a block, on which every node must decide alike.
   *
   * @param canonical A rule of the chain.
   * @throws {Rejected}
   */
  inBlock(bytes: Uint8Array, canonical: boolean): protocol.SequencerTransaction {
    const hash = protocol.txHashOf(bytes);
    return this.#held(hash) ?? protocol.decodeTransaction(bytes, protocol.verify, hash, canonical);
  }
}
