/** CometBFT's JSON: hashes and addresses in hex, other bytes in base64, 64-bit numbers as text, times as RFC 3339. */
import { bytesOfBase64 } from '#base64';
import { equalBytes, fromHex } from '../accounts/ids.ts';
import type { Timestamp } from '../bytes/timestamp.ts';
import { createValidator } from './commit.ts';
import { headerBytes, nameInJson } from './header-bytes.ts';
import { parseRfc3339 } from './rfc3339.ts';
import {
  type BlockId,
  type CometHeader,
  type Commit,
  type CommitSig,
  NO_BLOCK,
  type SignedHeader,
  type Validator,
} from './types.ts';

/**
 * Reader of a value from outside, which throws its own error with the path of the unexpected value. `Input` of the
 * service package is one, which this package may not import.
 */
export interface JsonInput {
  at(name: string): JsonInput;
  list(maxItems?: number): JsonInput[];
  text(): string;
  bool(): boolean;
  integer(): number;
  big(min?: bigint, max?: bigint): bigint;
  /** Undefined if there is nothing, or null. */
  optional<T>(read: (input: JsonInput) => T): T | undefined;
  parsed<T>(parse: (text: string) => T, expected: string): T;
  fail(expected: string): never;
}

/** Wider numbers would be hashed and signed as their low bits: one more than 2^64 could pass for one. */
const INT64_MAX = 2n ** 63n - 1n;
const UINT64_MAX = 2n ** 64n - 1n;
const INT32_MAX = 2n ** 31n - 1n;
const UINT32_MAX = 2n ** 32n - 1n;

export function hexFromJson(input: JsonInput): Uint8Array {
  return input.parsed(fromHex, 'bytes in hex');
}

/** Standard alphabet, padded. */
export function base64FromJson(input: JsonInput): Uint8Array {
  const text = input.text();
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) input.fail('bytes in base64');
  return bytesOfBase64(text);
}

export function timestampFromJson(input: JsonInput): Timestamp {
  const text = input.text();
  return (text.endsWith('Z') ? parseRfc3339(text) : undefined) ?? input.fail('a time in UTC');
}

export function blockIdFromJson(input: JsonInput): BlockId {
  const parts = input.at('parts');
  return {
    hash: hexFromJson(input.at('hash')),
    parts: { total: Number(parts.at('total').big(0n, UINT32_MAX)), hash: hexFromJson(parts.at('hash')) },
  };
}

export function cometHeaderFromJson(input: JsonInput): CometHeader {
  const version = input.at('version');
  return {
    version: {
      block: version.at('block').big(0n, UINT64_MAX),
      app: version.at('app').optional((app) => app.big(0n, UINT64_MAX)) ?? 0n,
    },
    chainId: input.at('chain_id').text(),
    height: input.at('height').big(0n, INT64_MAX),
    time: timestampFromJson(input.at('time')),
    lastBlockId: input.at('last_block_id').optional(blockIdFromJson) ?? NO_BLOCK,
    ...headerBytes((name) => hexFromJson(input.at(nameInJson(name)))),
  };
}

export function commitFromJson(input: JsonInput): Commit {
  return {
    height: input.at('height').big(0n, INT64_MAX),
    round: Number(input.at('round').big(0n, INT32_MAX)),
    blockId: blockIdFromJson(input.at('block_id')),
    signatures: input.at('signatures').list().map(commitSigFromJson),
  };
}

function commitSigFromJson(input: JsonInput): CommitSig {
  const flag = input.at('block_id_flag').integer();
  if (flag === 1) return { flag: 'absent' };
  if (flag !== 2 && flag !== 3) input.at('block_id_flag').fail('1, 2 or 3');
  return {
    flag: flag === 2 ? 'commit' : 'nil',
    validator: hexFromJson(input.at('validator_address')),
    timestamp: timestampFromJson(input.at('timestamp')),
    signature: base64FromJson(input.at('signature')),
  };
}

/** The member `signed_header` of an answer. */
export function signedHeaderFromJson(input: JsonInput): SignedHeader {
  return { header: cometHeaderFromJson(input.at('header')), commit: commitFromJson(input.at('commit')) };
}

export function validatorFromJson(input: JsonInput): Validator {
  const key = input.at('pub_key');
  if (key.at('type').text() !== 'tendermint/PubKeyEd25519') key.at('type').fail('an Ed25519 key');
  const publicKey = base64FromJson(key.at('value'));
  if (publicKey.length !== 32) key.at('value').fail('32 bytes');
  const result = createValidator(publicKey, input.at('voting_power').big(0n, INT64_MAX));
  if (!equalBytes(result.address, hexFromJson(input.at('address')))) input.at('address').fail('the address of the key');
  return result;
}
