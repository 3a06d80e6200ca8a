/**
 * `BlobTx`, which a consensus node takes: the signed payment, and the blobs next to it.
 *
 * @see go-square v4, proto/blob/v1/blob.proto
 */

import { Reader } from '../bytes/reader.ts';
import { Writer } from '../bytes/writer.ts';
import { Rejected } from '../errors.ts';
import { celestiaAccountBytes, celestiaAccountFromBytes } from './account.ts';
import { NAMESPACE_LENGTH, namespaceBytes, namespaceFromBytes } from './namespace.ts';
import { type CelestiaBlob, getShareVersion } from './shares.ts';

/** Validators refuse a transaction that is longer. */
export const MAX_BLOB_TX_LENGTH = 8 * 1024 * 1024;

const TYPE_ID = 'BLOB';

export interface BlobTx {
  /** The signed payment, whose SHA-256 is the id. */
  readonly payment: Uint8Array;
  readonly blobs: readonly CelestiaBlob[];
}

/** @throws {Rejected} `too-large` for bytes that validators refuse. */
export function encodeBlobTx({ payment, blobs }: BlobTx): Uint8Array {
  const capacity = blobs.reduce((sum, { data }) => sum + data.length + 80, payment.length + 32);
  const writer = new Writer(capacity).bytesAlways(1, payment);
  for (const blob of blobs) {
    const namespace = namespaceBytes(blob.namespace);
    writer.message(2, (entry) => {
      entry
        .bytes(1, namespace.subarray(1))
        .bytes(2, blob.data)
        .uint32(3, getShareVersion(blob))
        .uint32(4, namespace[0] ?? 0);
      if (blob.author !== undefined) entry.bytes(5, celestiaAccountBytes(blob.author));
    });
  }
  const bytes = writer.string(3, TYPE_ID).finish();
  checkLength(bytes);
  return bytes;
}

/**
 * Data of blobs are views of the input. Neither the payment nor that it is for these blobs is checked: `verifyPayment` and
 * `verifyPayForBlobs` do.
 *
 * @throws {Rejected} `too-large`; `malformed` for other transactions, and for share versions that are not posted this way.
 */
export function decodeBlobTx(bytes: Uint8Array): BlobTx {
  checkLength(bytes);
  const reader = new Reader(bytes, 'BlobTx');
  const blobs: CelestiaBlob[] = [];
  let payment: Uint8Array = new Uint8Array();
  let type = '';
  while (reader.next()) {
    if (reader.field === 1) payment = reader.bytes();
    else if (reader.field === 2) blobs.push(decodeBlob(reader.message('BlobProto')));
    else if (reader.field === 3) type = reader.string();
    else reader.skip();
  }
  if (type !== TYPE_ID) throw new Rejected('malformed', { message: 'BlobTx', expected: `type ${TYPE_ID}` });
  return { payment, blobs };
}

function decodeBlob(reader: Reader): CelestiaBlob {
  let id: Uint8Array = new Uint8Array();
  let data = id;
  let signer = id;
  let namespaceVersion = 0;
  let version = 0;
  while (reader.next()) {
    if (reader.field === 1) id = reader.bytes();
    else if (reader.field === 2) data = reader.bytes();
    else if (reader.field === 3) version = reader.uint32();
    else if (reader.field === 4) namespaceVersion = reader.uint32();
    else if (reader.field === 5) signer = reader.bytes();
    else reader.skip();
  }
  if (id.length !== NAMESPACE_LENGTH - 1) throw invalid('namespace id', id.length);
  if (version > 1) throw invalid('share version', version);
  if (version === 0 && signer.length > 0) throw invalid('author of share version 0', signer.length);
  if (namespaceVersion > 0xff) throw invalid('namespace version', namespaceVersion);
  const namespace = new Uint8Array(NAMESPACE_LENGTH);
  namespace[0] = namespaceVersion;
  namespace.set(id, 1);
  const author = version === 1 ? celestiaAccountFromBytes(signer) : undefined;
  return { namespace: namespaceFromBytes(namespace), data, author };
}

function checkLength({ length }: Uint8Array): void {
  if (length > MAX_BLOB_TX_LENGTH)
    throw new Rejected('too-large', { message: 'BlobTx', length, limit: MAX_BLOB_TX_LENGTH });
}

function invalid(field: string, got: number): Rejected {
  return new Rejected('malformed', { message: 'BlobProto', field, got });
}
