import {
  type BlockId,
  type CometHeader,
  type Commit,
  type CommitSig,
  createValidator,
  equalBytes,
  fromHex,
  NO_BLOCK,
  type Timestamp,
  type Validator,
} from '@switchyard/protocol';
import type { Input } from '@switchyard/service/input';

/** CometBFT's JSON: hashes and addresses in hex, other bytes in base64, 64-bit numbers as text, times as RFC 3339. */
export function hexBytes(answer: Input): Uint8Array {
  return answer.parsed(fromHex, 'bytes in hex');
}

export function base64Bytes(answer: Input): Uint8Array {
  const text = answer.text();
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) answer.fail('bytes in base64');
  return new Uint8Array(Buffer.from(text, 'base64'));
}

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/;

export function timestamp(answer: Input): Timestamp {
  const [, whole, fraction = ''] = TIME.exec(answer.text()) ?? [];
  const millis = Date.parse(`${whole}Z`);
  if (Number.isNaN(millis)) answer.fail('a time in UTC');
  return { seconds: BigInt(millis / 1_000), nanos: Number(fraction.padEnd(9, '0')) };
}

export function blockId(answer: Input): BlockId {
  const parts = answer.at('parts');
  return {
    hash: hexBytes(answer.at('hash')),
    parts: { total: parts.at('total').integer(), hash: hexBytes(parts.at('hash')) },
  };
}

export function cometHeader(answer: Input): CometHeader {
  const bytes = (name: string): Uint8Array => hexBytes(answer.at(name));
  const version = answer.at('version');
  return {
    version: { block: version.at('block').big(), app: version.at('app').optional((app) => app.big()) ?? 0n },
    chainId: answer.at('chain_id').text(),
    height: answer.at('height').big(),
    time: timestamp(answer.at('time')),
    lastBlockId: answer.at('last_block_id').optional(blockId) ?? NO_BLOCK,
    lastCommitHash: bytes('last_commit_hash'),
    dataHash: bytes('data_hash'),
    validatorsHash: bytes('validators_hash'),
    nextValidatorsHash: bytes('next_validators_hash'),
    consensusHash: bytes('consensus_hash'),
    appHash: bytes('app_hash'),
    lastResultsHash: bytes('last_results_hash'),
    evidenceHash: bytes('evidence_hash'),
    proposerAddress: bytes('proposer_address'),
  };
}

export function commit(answer: Input): Commit {
  return {
    height: answer.at('height').big(),
    round: answer.at('round').integer(),
    blockId: blockId(answer.at('block_id')),
    signatures: answer.at('signatures').list().map(commitSig),
  };
}

function commitSig(answer: Input): CommitSig {
  const flag = answer.at('block_id_flag').integer();
  if (flag === 1) return { flag: 'absent' };
  if (flag !== 2 && flag !== 3) answer.at('block_id_flag').fail('1, 2 or 3');
  return {
    flag: flag === 2 ? 'commit' : 'nil',
    validator: hexBytes(answer.at('validator_address')),
    timestamp: timestamp(answer.at('timestamp')),
    signature: base64Bytes(answer.at('signature')),
  };
}

export function validator(answer: Input): Validator {
  const key = answer.at('pub_key');
  if (key.at('type').text() !== 'tendermint/PubKeyEd25519') key.at('type').fail('an Ed25519 key');
  const publicKey = base64Bytes(key.at('value'));
  if (publicKey.length !== 32) key.at('value').fail('32 bytes');
  const result = createValidator(publicKey, answer.at('voting_power').big());
  if (!equalBytes(result.address, hexBytes(answer.at('address')))) answer.at('address').fail('the address of the key');
  return result;
}

/** One event of a transaction. Names of attributes may repeat. */
export interface TxEvent {
  readonly type: string;
  readonly attributes: readonly { readonly key: string; readonly value: string }[];
}

export function txEvent(answer: Input): TxEvent {
  // A bundle has an event for each of its hundreds of actions, so what needs no error message is read without a path.
  const { value: event } = answer;
  if (isTxEvent(event)) {
    return { type: event.type, attributes: event.attributes.map(({ key, value }) => ({ key, value })) };
  }
  const attributes = answer.at('attributes').list();
  return {
    type: answer.at('type').text(),
    attributes: attributes.map((each) => ({
      key: each.at('key').text(),
      value: each.at('value').optional((value) => value.text()) ?? '',
    })),
  };
}

function isTxEvent(value: unknown): value is TxEvent {
  if (typeof value !== 'object' || value === null || !('type' in value && 'attributes' in value)) return false;
  return typeof value.type === 'string' && Array.isArray(value.attributes) && value.attributes.every(isAttribute);
}

function isAttribute(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'key' in value &&
    'value' in value &&
    typeof value.key === 'string' &&
    typeof value.value === 'string'
  );
}
