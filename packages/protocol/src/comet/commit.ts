/** Votes: the signed bytes, and when the signatures on a header are enough. */

import { accountBytes, accountIdFromPublicKey, equalBytes, toHex } from '../accounts/ids.ts';
import { verify } from '../accounts/keys.ts';
import { type Timestamp, writeTimestamp } from '../bytes/timestamp.ts';
import { lengthOfVarint, Writer } from '../bytes/writer.ts';
import { Rejected } from '../errors.ts';
import { writeBlockId } from './encode.ts';
import { headerHash, validatorSetHash } from './hashes.ts';
import type { BlockId, Commit, SignedHeader, Validator } from './types.ts';

const PRECOMMIT = 2;

/** A precommit. Without a block it is a vote for none. */
export interface Vote {
  readonly height: bigint;
  readonly round: number;
  readonly blockId: BlockId | undefined;
  readonly timestamp: Timestamp;
}

/** The bytes a validator signs: a canonical vote with its length in front. */
export function voteSignBytes(chainId: string, vote: Vote): Uint8Array;
/** Sign bytes of the signature at `index` of a commit, which must not be absent. */
export function voteSignBytes(chainId: string, commit: Commit, index: number): Uint8Array;
export function voteSignBytes(chainId: string, source: Vote | Commit, index?: number): Uint8Array {
  const vote = 'signatures' in source ? toVote(source, index ?? 0) : source;
  const { height, round, blockId, timestamp } = vote;
  const writer = new Writer(256).uint32(1, PRECOMMIT).sfixed64(2, height).sfixed64(3, BigInt(round));
  if (blockId !== undefined && blockId.hash.length > 0) writer.message(4, (id) => writeBlockId(id, blockId));
  writer.message(5, (time) => writeTimestamp(time, timestamp)).string(6, chainId);
  return delimited(writer.finish());
}

function toVote({ height, round, blockId, signatures }: Commit, index: number): Vote {
  const signature = signatures[index];
  if (signature === undefined || signature.flag === 'absent') throw new RangeError(`commit has no vote ${index}`);
  return { height, round, blockId: signature.flag === 'commit' ? blockId : undefined, timestamp: signature.timestamp };
}

export function createValidator(publicKey: Uint8Array, power: bigint): Validator {
  return { publicKey, power, address: accountBytes(accountIdFromPublicKey(publicKey)) };
}

/**
 * Checks that more than two thirds of the power of `validators` signed this header, that they are the set the header
 * names, and that no signature is bad. Whether the set itself can be trusted is for the caller to know.
 *
 * @throws {Rejected} `bad-signature` for a signature, `malformed` for everything else.
 */
export function verifyCommit(
  chainId: string,
  validators: readonly Validator[],
  { header, commit }: SignedHeader,
): void {
  const invalid = (problem: string, facts: Readonly<Record<string, string | number | bigint>> = {}) =>
    new Rejected('malformed', { height: header.height, problem, ...facts });

  if (header.chainId !== chainId) throw invalid('header of another chain', { expected: chainId, got: header.chainId });
  if (commit.height !== header.height) throw invalid('commit of another height', { got: commit.height });
  if (!equalBytes(headerHash(header), commit.blockId.hash)) throw invalid('commit of another header');
  if (!equalBytes(validatorSetHash(validators), header.validatorsHash)) {
    throw invalid('header of another validator set', { got: toHex(header.validatorsHash) });
  }
  if (commit.signatures.length !== validators.length) {
    throw invalid('wrong number of votes', { expected: validators.length, got: commit.signatures.length });
  }

  const seen = new Set<string>();
  let total = 0n;
  let signed = 0n;
  for (const [index, validator] of validators.entries()) {
    const address = toHex(validator.address);
    if (seen.has(address)) throw invalid('validator twice in the set', { validator: address });
    seen.add(address);
    total += validator.power;
    const vote = commit.signatures[index];
    if (vote === undefined || vote.flag === 'absent') continue;
    // Votes stand in the order of the set, so no validator can vote twice.
    if (!equalBytes(vote.validator, validator.address))
      throw invalid('vote of another validator', { validator: address });
    if (!verify(vote.signature, voteSignBytes(chainId, commit, index), validator.publicKey)) {
      throw new Rejected('bad-signature', { height: header.height, validator: address });
    }
    if (vote.flag === 'commit') signed += validator.power;
  }
  if (3n * signed <= 2n * total) throw invalid('too little power signed', { signed, total });
}

function delimited(message: Uint8Array): Uint8Array {
  const prefix = lengthOfVarint(message.length);
  const out = new Uint8Array(prefix + message.length);
  for (let index = 0, rest = message.length; index < prefix; index++, rest >>>= 7) {
    out[index] = index < prefix - 1 ? (rest & 0x7f) | 0x80 : rest;
  }
  out.set(message, prefix);
  return out;
}
