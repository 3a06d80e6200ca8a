/**
 * CometBFT's structures as its RPC shows them, which `json.ts` reads: 64-bit numbers are text, hashes and addresses upper-case
 * hexadecimal, other bytes base64.
 */
import { base64OfBytes } from '#base64';
import { toHex } from '../accounts/ids.ts';
import { HEADER_BYTES, nameInJson } from './header-bytes.ts';
import { formatRfc3339, ZERO_TIME } from './rfc3339.ts';
import type { BlockId, CometHeader, Commit, CommitSig, Validator } from './types.ts';

const hex = (bytes: Uint8Array): string => toHex(bytes).toUpperCase();

export function renderBlockId({ hash, parts }: BlockId): object {
  return { hash: hex(hash), parts: { total: parts.total, hash: hex(parts.hash) } };
}

export function renderHeader(header: CometHeader): object {
  const { block, app } = header.version;
  return {
    // CometBFT leaves a zero out, here only.
    version: { block: String(block), ...(app !== 0n && { app: String(app) }) },
    chain_id: header.chainId,
    height: String(header.height),
    time: formatRfc3339(header.time),
    last_block_id: renderBlockId(header.lastBlockId),
    ...Object.fromEntries(HEADER_BYTES.map((name) => [nameInJson(name), hex(header[name])])),
  };
}

const FLAGS = { absent: 1, commit: 2, nil: 3 } as const;

function renderCommitSig(signature: CommitSig): object {
  const block_id_flag = FLAGS[signature.flag];
  if (signature.flag === 'absent') {
    return { block_id_flag, validator_address: '', timestamp: formatRfc3339(ZERO_TIME), signature: null };
  }
  return {
    block_id_flag,
    validator_address: hex(signature.validator),
    timestamp: formatRfc3339(signature.timestamp),
    signature: base64OfBytes(signature.signature),
  };
}

export function renderCommit({ height, round, blockId, signatures }: Commit): object {
  return {
    height: String(height),
    round,
    block_id: renderBlockId(blockId),
    signatures: signatures.map(renderCommitSig),
  };
}

/** @param publicKey Ed25519, 32 bytes. */
export function renderPublicKey(publicKey: Uint8Array): object {
  return { type: 'tendermint/PubKeyEd25519', value: base64OfBytes(publicKey) };
}

/** With the priority that the only validator of a set has. */
export function renderValidator({ address, publicKey, power }: Validator): object {
  return {
    address: hex(address),
    pub_key: renderPublicKey(publicKey),
    voting_power: String(power),
    proposer_priority: '0',
  };
}
