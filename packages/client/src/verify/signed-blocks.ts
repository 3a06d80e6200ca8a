/* Signed blocks of the sequencer as the explorer answers them. This file also runs in web pages. */
import {
  createValidator,
  decodeFilteredBlock,
  decodeSignedHeader,
  encodeFilteredBlock,
  encodeSignedHeader,
  type FilteredBlock,
  fromHex,
  type RollupId,
  type SignedHeader,
  toHex,
  type Validator,
  validatorSetHash,
} from '@switchyard/protocol';
import type { Input } from '@switchyard/service/input';
import type { HttpApi } from '../http/http-api.ts';

/** A block of the sequencer with all data of one rollup, and the signatures on it. */
export interface SignedBlock {
  readonly block: FilteredBlock;
  readonly signed: SignedHeader;
}

/** Blocks in order of height, none left out. Nothing of them is checked. */
export interface SignedBlocks {
  readonly blocks: readonly SignedBlock[];
  /** Sets of validators by their hashes in hex. */
  readonly validators: ReadonlyMap<string, readonly Validator[]>;
  /** Height of the newest block that the source has. */
  readonly newest: bigint;
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

/**
 * Blocks from a height on: at most 100, and 4 MiB of JSON unless the first is larger; none behind the newest.
 *
 * @param explorer Calls of an explorer of the sequencer.
 */
export async function getSignedBlocks(
  explorer: HttpApi,
  rollup: RollupId,
  { from, limit = MOST_SIGNED_BLOCKS }: { readonly from: bigint; readonly limit?: number },
  signal?: AbortSignal,
): Promise<SignedBlocks> {
  const path = `/v1/rollups/${rollup}/signed-blocks?from=${from}&limit=${limit}`;
  const answer = await explorer(path, signal ? { signal } : {});
  const sets = answer.at('validators').list(MOST_SETS).map(readValidators);
  return {
    blocks: answer
      .at('blocks')
      .list(limit)
      .map((each) => ({
        block: decodeFilteredBlock(fromHex(each.at('block').text())),
        signed: decodeSignedHeader(fromHex(each.at('signedHeader').text())),
      })),
    validators: new Map(sets.map((set) => [toHex(validatorSetHash(set)), set])),
    newest: answer.at('newest').big(),
  };
}
