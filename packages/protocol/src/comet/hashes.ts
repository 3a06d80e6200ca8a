/** The hashes in a CometBFT header. All are Merkle roots but that of the consensus parameters. */

import { merkleRoot } from '../blocks/merkle.ts';
import { sha256 } from '../bytes/hash.ts';
import { writeTimestamp } from '../bytes/timestamp.ts';
import { Writer } from '../bytes/writer.ts';
import { writeBlockId, writeCommitSig, writeVersion } from './encode.ts';
import { HEADER_BYTES } from './header-bytes.ts';
import type { BlockId, CometHeader, Commit, TxResult, Validator } from './types.ts';

const PART_SIZE = 65_536;

/** The block's hash: the tree over the header's fields, each wrapped as a message of its own. */
export function headerHash(header: CometHeader): Uint8Array {
  return merkleRoot([
    encode((writer) => writeVersion(writer, header.version)),
    new Writer().string(1, header.chainId).finish(),
    new Writer().int64(1, header.height).finish(),
    encode((writer) => writeTimestamp(writer, header.time)),
    encode((writer) => writeBlockId(writer, header.lastBlockId), 96),
    ...HEADER_BYTES.map((name) => wrapped(header[name])),
  ]);
}

/** Over the hashes of the transactions, not over the transactions. */
export function dataHash(txs: readonly Uint8Array[]): Uint8Array {
  return merkleRoot(txs.map((tx) => sha256(tx)));
}

export function resultsHash(results: readonly TxResult[]): Uint8Array {
  return merkleRoot(
    results.map(({ code, data, gasWanted, gasUsed }) =>
      new Writer().uint32(1, code).bytes(2, data).int64(5, gasWanted).int64(6, gasUsed).finish(),
    ),
  );
}

/** Over the set in the order given, which is by falling power, then by address. */
export function validatorSetHash(validators: readonly Validator[]): Uint8Array {
  return merkleRoot(
    validators.map(({ publicKey, power }) =>
      new Writer()
        .message(1, (key) => key.bytesAlways(1, publicKey))
        .int64(2, power)
        .finish(),
    ),
  );
}

export function consensusParamsHash({ maxBytes, maxGas }: { maxBytes: bigint; maxGas: bigint }): Uint8Array {
  return sha256(new Writer().int64(1, maxBytes).int64(2, maxGas).finish());
}

/** Over encoded evidence. */
export function evidenceHash(evidence: readonly Uint8Array[] = []): Uint8Array {
  return merkleRoot(evidence);
}

export function commitHash({ signatures }: Commit): Uint8Array {
  return merkleRoot(signatures.map((signature) => encode((writer) => writeCommitSig(writer, signature), 128)));
}

/** The parts of an encoded block: the second half of its id. */
export function partSetHeader(block: Uint8Array): BlockId['parts'] {
  const parts: Uint8Array[] = [];
  for (let start = 0; start < block.length; start += PART_SIZE) parts.push(block.subarray(start, start + PART_SIZE));
  return { total: parts.length, hash: merkleRoot(parts) };
}

function wrapped(bytes: Uint8Array): Uint8Array {
  return new Writer(bytes.length + 8).bytes(1, bytes).finish();
}

function encode(write: (writer: Writer) => void, capacity?: number): Uint8Array {
  const writer = new Writer(capacity);
  write(writer);
  return writer.finish();
}
