/** The answer of CometBFT's `commit` call, read. Its 64-bit numbers are strings and its hashes hexadecimal. */

import type { BlockId, CometHeader, Commit, CommitSig, SignedHeader } from '@switchyard/protocol';
import { Input, list, type Read } from '@switchyard/service/input';
import { parseRfc3339 } from '../rfc3339.ts';

/** @throws {InvalidData} naming the member that is not as expected. */
export function signedHeaderFromJson(answer: unknown): SignedHeader {
  const signed = new Input(answer, 'commit').at('signed_header');
  return { header: headerOf(signed.at('header')), commit: commitOf(signed.at('commit')) };
}

/** The lowest height a node can still prove, from the answer of its `status` call. */
export function earliestHeightFromJson(answer: unknown): bigint {
  return new Input(answer, 'status').at('sync_info').at('earliest_block_height').big();
}

function headerOf(json: Input): CometHeader {
  return {
    version: {
      block: json.at('version').at('block').big(),
      app:
        json
          .at('version')
          .at('app')
          .optional((app) => app.big()) ?? 0n,
    },
    chainId: json.at('chain_id').text(),
    height: json.at('height').big(),
    time: time(json.at('time')),
    lastBlockId: blockIdOf(json.at('last_block_id')),
    lastCommitHash: hex(json.at('last_commit_hash')),
    dataHash: hex(json.at('data_hash')),
    validatorsHash: hex(json.at('validators_hash')),
    nextValidatorsHash: hex(json.at('next_validators_hash')),
    consensusHash: hex(json.at('consensus_hash')),
    appHash: hex(json.at('app_hash')),
    lastResultsHash: hex(json.at('last_results_hash')),
    evidenceHash: hex(json.at('evidence_hash')),
    proposerAddress: hex(json.at('proposer_address')),
  };
}

function commitOf(json: Input): Commit {
  return {
    height: json.at('height').big(),
    round: Number(json.at('round').big()),
    blockId: blockIdOf(json.at('block_id')),
    signatures: list(signatureOf)(json.at('signatures')),
  };
}

function signatureOf(json: Input): CommitSig {
  const flag = Number(json.at('block_id_flag').big());
  if (flag === 1) return { flag: 'absent' };
  return {
    flag: flag === 2 ? 'commit' : 'nil',
    validator: hex(json.at('validator_address')),
    timestamp: time(json.at('timestamp')),
    signature: Uint8Array.from(Buffer.from(json.at('signature').text(), 'base64')),
  };
}

function blockIdOf(json: Input): BlockId {
  const parts = json.at('parts');
  return { hash: hex(json.at('hash')), parts: { total: Number(parts.at('total').big()), hash: hex(parts.at('hash')) } };
}

const hex: Read<Uint8Array> = (input) => {
  const digits = input.text();
  return /^([0-9A-Fa-f]{2})*$/.test(digits) ? Uint8Array.from(Buffer.from(digits, 'hex')) : input.fail('hexadecimal');
};

const time = (input: Input) => parseRfc3339(input.text()) ?? input.fail('a time');
