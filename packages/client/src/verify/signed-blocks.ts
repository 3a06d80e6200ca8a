/* Signed blocks of the sequencer as the explorer answers them. This file also runs in web pages. */
import {
  createValidator,
  decodeFilteredBlock,
  decodeSignedHeader,
  encodeFilteredBlock,
  encodeSignedHeader,
  equalBytes,
  type FilteredBlock,
  fromHex,
  proveRollupData,
  Rejected,
  type RollupId,
  type SignedHeader,
  toHex,
  type Validator,
  validatorSetHash,
  verifyFilteredBlock,
} from '@switchyard/protocol';
import type { Input } from '@switchyard/service/input';
import { ApiRefused, type HttpApi, type HttpApiOptions, httpApi } from '../http/http-api.ts';
import type { SequencerEvidence } from './verify-state.ts';

/** A block of the sequencer with all data of one rollup, and the signatures on it. */
export interface SignedBlock {
  readonly block: FilteredBlock;
  readonly signed: SignedHeader;
}

export interface SignedBlocks {
  readonly blocks: readonly SignedBlock[];
  /** Height of the newest block that the source has. */
  readonly newest: bigint;
}

/** Evidence of a block, with all data that it has of the rollup. */
export interface BlockEvidence extends SequencerEvidence {
  readonly block: FilteredBlock;
}

/** Blocks of an answer, at most. */
export const MOST_SIGNED_BLOCKS = 100;
const MOST_SETS = MOST_SIGNED_BLOCKS;
const MOST_VALIDATORS = 1_000;

export const signedBlockJson = ({ block, signed }: SignedBlock) => ({
  block: toHex(encodeFilteredBlock(block)),
  signedHeader: toHex(encodeSignedHeader(signed)),
});

export const validatorsJson = (validators: readonly Validator[]) =>
  validators.map(({ publicKey, power }) => ({ publicKey: toHex(publicKey), power: String(power) }));

/** @throws {InvalidData} @throws {Rejected} */
export const readValidators = (input: Input): readonly Validator[] =>
  input
    .list(MOST_VALIDATORS)
    .map((each) => createValidator(fromHex(each.at('publicKey').text()), BigInt(each.at('power').text())));

/** Answers have 4 MiB, unless one block is larger. */
const MAX_ANSWER_BYTES = 64 * 1_048_576;

/** Signed blocks of the sequencer from an explorer, none of which is checked here. */
export class SignedSource {
  readonly #explorer: HttpApi;
  readonly #rollup: RollupId;
  /** Sets of validators by their hashes in hex. */
  readonly #sets = new Map<string, readonly Validator[]>();

  constructor(options: HttpApiOptions, rollup: RollupId) {
    this.#explorer = httpApi('explorer', { maxAnswerBytes: MAX_ANSWER_BYTES, ...options });
    this.#rollup = rollup;
  }

  /** Blocks from a height on, in order: at most 100, and 4 MiB of JSON unless the first is larger. @throws {InvalidData} */
  async blocks(from: bigint, limit = MOST_SIGNED_BLOCKS, signal?: AbortSignal): Promise<SignedBlocks> {
    const path = `/v1/rollups/${this.#rollup}/signed-blocks?from=${from}&limit=${limit}`;
    const answer = await this.#explorer(path, signal ? { signal } : {});
    if (this.#sets.size > MOST_SETS) this.#sets.clear();
    for (const set of answer.at('validators').list(MOST_SETS).map(readValidators))
      this.#sets.set(toHex(validatorSetHash(set)), set);
    const blocks = answer.at('blocks').list(limit);
    return {
      blocks: blocks.map((each) => ({
        block: decodeFilteredBlock(fromHex(each.at('block').text())),
        signed: decodeSignedHeader(fromHex(each.at('signedHeader').text())),
      })),
      newest: answer.at('newest').big(),
    };
  }

  /** @returns the check of the proofs of a block, which throws {Rejected} if they do not hold. */
  async evidence(height: bigint, signal?: AbortSignal): Promise<() => BlockEvidence> {
    const { block, signed } = await this.#get(height, signal);
    const validators = this.#sets.get(toHex(signed.header.validatorsHash)) ?? [];
    return () => {
      const isWanted = signed.header.height === height && equalBytes(block.header.dataHash, signed.header.dataHash);
      if (!isWanted) throw new Rejected('malformed', { block: height, problem: 'data of another block' });
      verifyFilteredBlock(block, [this.#rollup]);
      return { block, signed, validators, data: proveRollupData(block, this.#rollup) };
    };
  }

  async commit(height: bigint, signal?: AbortSignal): Promise<SignedHeader> {
    return (await this.#get(height, signal)).signed;
  }

  async validators(height: bigint, signal?: AbortSignal, hash?: Uint8Array): Promise<readonly Validator[]> {
    const wanted = toHex(hash ?? (await this.commit(height, signal)).header.validatorsHash);
    if (!this.#sets.has(wanted)) await this.commit(height, signal);
    return this.#sets.get(wanted) ?? [];
  }

  async #get(height: bigint, signal: AbortSignal | undefined): Promise<SignedBlock> {
    const [found] = (await this.blocks(height, 1, signal)).blocks;
    if (found === undefined) throw new ApiRefused(404, 'not-found', `no block ${height} yet`);
    return found;
  }
}
