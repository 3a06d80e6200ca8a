/** Nothing counts as a block that more than two thirds of the validators have not signed. */
import {
  equalBytes,
  type FilteredBlock,
  Rejected,
  type RollupId,
  type SignedHeader,
  toHex,
  type Validator,
  validatorSetHash,
  verifyCommit,
  verifyFilteredBlock,
} from '@switchyard/protocol';
import type { ProofSource } from './proven-heights.ts';
import { type Trusted, type TrustOptions, trustedBefore } from './trust.ts';

export interface VerifierOptions extends TrustOptions {
  /**
   * Headers and whole validator sets, of the node that the blocks come from. They are taken on trust only if there
   * is no trust anchor for the first block; everything else must match a trusted header.
   */
  source(): ProofSource;
  /** Called with the first block, if there is no trust anchor for it. Throws if it cannot be trusted. */
  readonly first?: (signed: SignedHeader, signal: AbortSignal) => Promise<void>;
}

/** Checks blocks in order of height, each against the one before it. A block that fails leaves no trace. */
export class BlockVerifier {
  readonly #options: VerifierOptions;
  #validators: readonly Validator[] = [];
  #validatorsHash: Uint8Array | undefined;
  /** Header and validators of the block before the next one. */
  #before: Trusted | undefined;

  constructor(options: VerifierOptions) {
    this.#options = options;
  }

  /**
   * @param height The one expected.
   * @param asked The rollups whose data the block must have.
   * @returns the validators that may sign it, in their order.
   * @throws {Rejected} naming the mismatch.
   */
  async verify(
    height: bigint,
    block: FilteredBlock,
    signed: SignedHeader,
    wanted: readonly RollupId[],
    signal: AbortSignal,
  ): Promise<readonly Validator[]> {
    const { chainId, checkpoint } = this.#options;
    const { header } = signed;
    checkClaims(height, block, signed);
    const before = this.#before ?? (await trustedBefore(height, this.#options, this.#options.source(), signal));
    if (before !== undefined) {
      const mustBe = (expected: Uint8Array, got: Uint8Array, problem: string) => {
        if (!equalBytes(got, expected)) throw invalid(height, problem, { expected: toHex(expected), got: toHex(got) });
      };
      mustBe(before.hash, header.lastBlockId.hash, 'it does not follow the block before it');
      mustBe(before.nextValidatorsHash, header.validatorsHash, 'its validators differ from the announced ones');
    }
    if (checkpoint?.height === height && !equalBytes(block.hash, checkpoint.hash)) {
      throw invalid(height, 'it is not the trusted one', { expected: toHex(checkpoint.hash), got: toHex(block.hash) });
    }
    if (this.#validatorsHash === undefined || !equalBytes(header.validatorsHash, this.#validatorsHash)) {
      await this.#fetchValidators(height, header.validatorsHash, signal);
    }
    verifyCommit(chainId, this.#validators, signed);
    verifyFilteredBlock(block, wanted);
    if (before === undefined && checkpoint?.height !== height) await this.#options.first?.(signed, signal);

    this.#before = { hash: block.hash, nextValidatorsHash: header.nextValidatorsHash };
    return this.#validators;
  }

  async #fetchValidators(height: bigint, expected: Uint8Array, signal: AbortSignal): Promise<void> {
    const set = await this.#options.source().validators(height, signal, expected);
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

/** Everything that the block claims about itself must be covered by the signatures. @throws {Rejected} */
export function checkClaims(
  height: bigint,
  { hash, header: claimed }: FilteredBlock,
  { header, commit }: SignedHeader,
): void {
  const compare = (what: string, same: boolean) => {
    if (!same) throw invalid(height, `its ${what} is not the one expected`);
  };
  compare('height', claimed.height === height && header.height === height);
  // That the commit is over this header is checked together with its signatures.
  compare('hash', equalBytes(hash, commit.blockId.hash));
  compare('chain id', claimed.chainId === header.chainId);
  compare('time', claimed.time.seconds === header.time.seconds && claimed.time.nanos === header.time.nanos);
  compare('data hash', equalBytes(claimed.dataHash, header.dataHash));
  compare('proposer', equalBytes(claimed.proposer, header.proposerAddress));
}

function invalid(height: bigint, problem: string, facts: Readonly<Record<string, string>> = {}): Rejected {
  return new Rejected('malformed', { block: height, problem, ...facts });
}
