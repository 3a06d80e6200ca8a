/** Answers of a light node of Celestia, read into types; nothing is verified. Go writes `null` for an empty list, and omits zeros. */
import {
  base64FromJson,
  cometHeaderFromJson,
  commitFromJson,
  type JsonInput,
  validatorFromJson,
} from '../comet/json.ts';
import { MAX_ROWS } from './dah.ts';
import type { ExtendedHeader } from './extended-header.ts';
import type { NamespaceRow } from './namespace-data.ts';
import { NODE_LENGTH } from './nodes.ts';
import type { NamespaceProof, RangeProof } from './range-proof.ts';
import { SHARE_LENGTH } from './shares.ts';

/** CometBFT's bound for the votes of a commit. */
const MAX_VALIDATORS = 10_000;
/** Two for each level of the tree of the widest row. */
const MAX_SIBLINGS = 2 * Math.log2(MAX_ROWS);

/** The answer of `header.GetByHeight`, `header.NetworkHead` and the like. Throws the error of `input`. */
export function extendedHeaderFromJson(input: JsonInput): ExtendedHeader {
  const dah = input.at('dah');
  return {
    header: cometHeaderFromJson(input.at('header')),
    commit: commitFromJson(input.at('commit')),
    validators: input.at('validator_set').at('validators').list(MAX_VALIDATORS).map(validatorFromJson),
    dah: {
      rowRoots: dah.at('row_roots').list(MAX_ROWS).map(nodeFromJson),
      columnRoots: dah.at('column_roots').list(MAX_ROWS).map(nodeFromJson),
    },
  };
}

/** The answer of `share.GetNamespaceData`, `null` included. Throws the error of `input`. */
export function namespaceRowsFromJson(input: JsonInput): NamespaceRow[] {
  return input.list(MAX_ROWS).map((row) => ({
    shares: row
      .at('shares')
      .list(MAX_ROWS)
      .map((share) => bytesFromJson(share, SHARE_LENGTH)),
    proof: namespaceProofFromJson(row.at('proof')),
  }));
}

/** A proof of a range of leaves, as `blob.GetProof` lists them. */
export function rangeProofFromJson(input: JsonInput): RangeProof {
  const ignored = input.at('is_max_namespace_ignored');
  if (ignored.optional((flag) => flag.bool()) !== true) ignored.fail('true, as in every tree of a square');
  return {
    start: input.at('start').optional((start) => start.integer()) ?? 0,
    end: input.at('end').optional((end) => end.integer()) ?? 0,
    nodes: input.at('nodes').list(MAX_SIBLINGS).map(nodeFromJson),
  };
}

function namespaceProofFromJson(input: JsonInput): NamespaceProof {
  return { ...rangeProofFromJson(input), absent: input.at('leaf_hash').optional(nodeFromJson) };
}

function nodeFromJson(input: JsonInput): Uint8Array {
  return bytesFromJson(input, NODE_LENGTH);
}

function bytesFromJson(input: JsonInput, length: number): Uint8Array {
  // Before it is decoded: an answer may be as long as it likes.
  if (input.text().length > 4 * Math.ceil(length / 3)) input.fail(`${length} bytes in base64`);
  const bytes = base64FromJson(input);
  return bytes.length === length ? bytes : input.fail(`${length} bytes in base64`);
}
