import {
  type CometHeader,
  createSigner,
  createValidator,
  evidenceHash,
  headerHash,
  NO_BLOCK,
  type SignedHeader,
  type Signer,
  type Validator,
  validatorSetHash,
  voteSignBytes,
} from '@switchyard/protocol';

const NOTHING = new Uint8Array(32);

/** Headers of a chain with one validator, really signed. */
export class SignedHeaders {
  readonly #chainId: string;
  readonly #signer: Signer;
  readonly #made = new Map<bigint, SignedHeader>();
  readonly validators: readonly Validator[];

  constructor(chainId: string, seed = 7) {
    this.#chainId = chainId;
    this.#signer = createSigner(new Uint8Array(32).fill(seed));
    this.validators = [createValidator(this.#signer.publicKey, 10n)];
  }

  at(height: bigint): SignedHeader {
    const made = this.#made.get(height) ?? this.#make(height);
    this.#made.set(height, made);
    return made;
  }

  #make(height: bigint): SignedHeader {
    const hash = validatorSetHash(this.validators);
    const [validator] = this.validators;
    const time = { seconds: 1_700_000_000n + height, nanos: 0 };
    const header: CometHeader = {
      version: { block: 11n, app: 1n },
      chainId: this.#chainId,
      height,
      time,
      lastBlockId: NO_BLOCK,
      lastCommitHash: NOTHING,
      dataHash: NOTHING,
      validatorsHash: hash,
      nextValidatorsHash: hash,
      consensusHash: NOTHING,
      appHash: NOTHING,
      lastResultsHash: NOTHING,
      evidenceHash: evidenceHash(),
      proposerAddress: validator?.address ?? NOTHING.subarray(0, 20),
    };
    const blockId = { hash: headerHash(header), parts: { total: 1, hash: NOTHING } };
    const signature = this.#signer.sign(voteSignBytes(this.#chainId, { height, round: 0, blockId, timestamp: time }));
    const vote = { flag: 'commit' as const, validator: validator?.address ?? NOTHING, timestamp: time, signature };
    return { header, commit: { height, round: 0, blockId, signatures: [vote] } };
  }
}
