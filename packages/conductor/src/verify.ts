/** Nothing is executed that more than two thirds of the validators have not signed. */
import {
  type BlockHash,
  blockHashFromBytes,
  equalBytes,
  type FilteredBlock,
  fromHex,
  Rejected,
  type RollupId,
  type SignedHeader,
  type Timestamp,
  toHex,
  type Validator,
  validatorSetHash,
  verifyCommit,
  verifyFilteredBlock,
} from '@switchyard/protocol';

/** What a rollup block is made from, proven. */
export interface VerifiedBlock {
  readonly height: bigint;
  readonly hash: BlockHash;
  readonly time: Timestamp;
  /** The rollup's own entries, encoded, in order. */
  readonly transactions: readonly Uint8Array[];
  /** What the block takes in memory and in a message, about. */
  readonly bytes: number;
}

export interface VerifierOptions {
  readonly chainId: string;
  readonly rollup: RollupId;
  /** Hash of the block before the first one, in hex, where the rollup knows it. */
  readonly lastBlockHash: string | undefined;
  /** Whole validator sets. Only the first one is trusted; the others must be what a verified header announced. */
  validators(height: bigint, signal: AbortSignal): Promise<readonly Validator[]>;
}

/** Checks blocks in order of height, each against the one before it. A block that fails leaves no trace. */
export class Verifier {
  readonly #options: VerifierOptions;
  #validators: readonly Validator[] = [];
  #validatorsHash: Uint8Array | undefined;
  /** What the next header must name: the block before it, and its validators. */
  #lastBlockHash: Uint8Array | undefined;
  #announced: Uint8Array | undefined;

  constructor(options: VerifierOptions) {
    this.#options = options;
    if (options.lastBlockHash !== undefined) this.#lastBlockHash = fromHex(options.lastBlockHash);
  }

  /**
   * @param height The one expected.
   * @throws {Rejected} with what does not fit.
   */
  async verify(
    height: bigint,
    block: FilteredBlock,
    signed: SignedHeader,
    signal: AbortSignal,
  ): Promise<VerifiedBlock> {
    const { rollup, chainId } = this.#options;
    const { header } = signed;
    checkSame(height, block, signed);
    if (this.#lastBlockHash !== undefined && !equalBytes(header.lastBlockId.hash, this.#lastBlockHash)) {
      throw invalid(height, 'it does not follow the block before it', {
        expected: toHex(this.#lastBlockHash),
        got: toHex(header.lastBlockId.hash),
      });
    }
    if (this.#announced !== undefined && !equalBytes(header.validatorsHash, this.#announced)) {
      throw invalid(height, 'its validators are not those that were announced', {
        expected: toHex(this.#announced),
        got: toHex(header.validatorsHash),
      });
    }
    if (this.#validatorsHash === undefined || !equalBytes(header.validatorsHash, this.#validatorsHash)) {
      await this.#fetchValidators(height, header.validatorsHash, signal);
    }
    verifyCommit(chainId, this.#validators, signed);
    verifyFilteredBlock(block, [rollup]);

    this.#lastBlockHash = block.hash;
    this.#announced = header.nextValidatorsHash;
    return verified(block, rollup);
  }

  async #fetchValidators(height: bigint, expected: Uint8Array, signal: AbortSignal): Promise<void> {
    const set = await this.#options.validators(height, signal);
    const hash = validatorSetHash(set);
    if (!equalBytes(hash, expected)) {
      throw invalid(height, 'the validators that the sequencer gives are not those of the header', {
        expected: toHex(expected),
        got: toHex(hash),
      });
    }
    this.#validators = set;
    this.#validatorsHash = hash;
  }
}

/** Everything that the block says of itself must be what was signed. */
function checkSame(height: bigint, { hash, header: said }: FilteredBlock, { header, commit }: SignedHeader): void {
  const compare = (what: string, same: boolean) => {
    if (!same) throw invalid(height, `its ${what} is not the one expected`);
  };
  compare('height', said.height === height && header.height === height);
  // That the commit is over this header is checked together with its signatures.
  compare('hash', equalBytes(hash, commit.blockId.hash));
  compare('chain id', said.chainId === header.chainId);
  compare('time', said.time.seconds === header.time.seconds && said.time.nanos === header.time.nanos);
  compare('data hash', equalBytes(said.dataHash, header.dataHash));
  compare('proposer', equalBytes(said.proposer, header.proposerAddress));
}

function verified({ hash, header, rollups }: FilteredBlock, rollup: RollupId): VerifiedBlock {
  const transactions = rollups.find((entry) => entry.rollup === rollup)?.transactions ?? [];
  // An empty block still costs its time, hash and place in the message.
  let bytes = 128;
  for (const { length } of transactions) bytes += length + 8;
  return { height: header.height, hash: blockHashFromBytes(hash), time: header.time, transactions, bytes };
}

function invalid(height: bigint, problem: string, facts: Readonly<Record<string, string>> = {}): Rejected {
  return new Rejected('malformed', { block: height, problem, ...facts });
}
