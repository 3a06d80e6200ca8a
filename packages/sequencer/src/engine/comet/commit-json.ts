/** The answer of CometBFT's `commit` call, read. Its 64-bit numbers are strings and its hashes hexadecimal. */

import type { BlockId, CometHeader, Commit, CommitSig, SignedHeader } from '@switchyard/protocol';
import { parseRfc3339 } from '../rfc3339.ts';

/** @throws {Error} naming the member that is not as expected. */
export function signedHeaderFromJson(answer: unknown): SignedHeader {
  const signed = new Json(answer, 'commit').member('signed_header');
  return { header: headerOf(signed.member('header')), commit: commitOf(signed.member('commit')) };
}

/** The lowest height a node can still prove, from the answer of its `status` call. */
export function earliestHeightFromJson(answer: unknown): bigint {
  return new Json(answer, 'status').member('sync_info').member('earliest_block_height').integer();
}

function headerOf(json: Json): CometHeader {
  return {
    version: {
      block: json.member('version').member('block').integer(),
      app: json.member('version').optional('app')?.integer() ?? 0n,
    },
    chainId: json.member('chain_id').text(),
    height: json.member('height').integer(),
    time: json.member('time').time(),
    lastBlockId: blockIdOf(json.member('last_block_id')),
    lastCommitHash: json.member('last_commit_hash').hex(),
    dataHash: json.member('data_hash').hex(),
    validatorsHash: json.member('validators_hash').hex(),
    nextValidatorsHash: json.member('next_validators_hash').hex(),
    consensusHash: json.member('consensus_hash').hex(),
    appHash: json.member('app_hash').hex(),
    lastResultsHash: json.member('last_results_hash').hex(),
    evidenceHash: json.member('evidence_hash').hex(),
    proposerAddress: json.member('proposer_address').hex(),
  };
}

function commitOf(json: Json): Commit {
  return {
    height: json.member('height').integer(),
    round: Number(json.member('round').integer()),
    blockId: blockIdOf(json.member('block_id')),
    signatures: json.member('signatures').items().map(signatureOf),
  };
}

function signatureOf(json: Json): CommitSig {
  const flag = Number(json.member('block_id_flag').integer());
  if (flag === 1) return { flag: 'absent' };
  return {
    flag: flag === 2 ? 'commit' : 'nil',
    validator: json.member('validator_address').hex(),
    timestamp: json.member('timestamp').time(),
    signature: json.member('signature').base64(),
  };
}

function blockIdOf(json: Json): BlockId {
  const parts = json.member('parts');
  return {
    hash: json.member('hash').hex(),
    parts: { total: Number(parts.member('total').integer()), hash: parts.member('hash').hex() },
  };
}

/** A value and where it stands. */
class Json {
  readonly #value: unknown;
  readonly #path: string;

  constructor(value: unknown, path: string) {
    this.#value = value;
    this.#path = path;
  }

  optional(name: string): Json | undefined {
    const value = typeof this.#value === 'object' && this.#value !== null ? Reflect.get(this.#value, name) : undefined;
    return value === undefined || value === null ? undefined : new Json(value, `${this.#path}.${name}`);
  }

  member(name: string): Json {
    return this.optional(name) ?? this.#bad(`an object with ${name}`);
  }

  items(): Json[] {
    if (!Array.isArray(this.#value)) return this.#bad('a list');
    return this.#value.map((item, index) => new Json(item, `${this.#path}[${index}]`));
  }

  text(): string {
    return typeof this.#value === 'string' ? this.#value : this.#bad('text');
  }

  integer(): bigint {
    const text = typeof this.#value === 'number' ? String(this.#value) : this.#value;
    return typeof text === 'string' && /^-?\d{1,19}$/.test(text) ? BigInt(text) : this.#bad('an integer');
  }

  hex(): Uint8Array {
    const text = this.text();
    return /^([0-9A-Fa-f]{2})*$/.test(text) ? Uint8Array.from(Buffer.from(text, 'hex')) : this.#bad('hexadecimal');
  }

  base64(): Uint8Array {
    return Uint8Array.from(Buffer.from(this.text(), 'base64'));
  }

  time() {
    return parseRfc3339(this.text()) ?? this.#bad('a time');
  }

  #bad(expected: string): never {
    throw new Error(`${this.#path}: expected ${expected}, got ${JSON.stringify(this.#value)?.slice(0, 100)}`);
  }
}
