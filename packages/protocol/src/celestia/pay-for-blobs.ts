/**
 * `celestia.blob.v1.MsgPayForBlobs`: the statement that a payer signs about its blobs, which travel alongside the signed transaction.
 *
 * @see celestia-app v9, x/blob/types/payforblob.go
 */

import { equalBytes } from '../accounts/ids.ts';
import { Reader } from '../bytes/reader.ts';
import { Writer } from '../bytes/writer.ts';
import { Rejected } from '../errors.ts';
import { type CelestiaAccount, formatCelestiaAddress, parseCelestiaAddress } from './account.ts';
import { blobCommitment } from './commitment.ts';
import { isReservedNamespace, type Namespace, namespaceBytes, namespaceFromBytes } from './namespace.ts';
import { type CelestiaBlob, getShareVersion, SHARE_LENGTH, shareCount } from './shares.ts';

export const PAY_FOR_BLOBS_URL = '/celestia.blob.v1.MsgPayForBlobs';

export interface PayForBlobs {
  readonly payer: CelestiaAccount;
  /** At least one, in the order of the blobs. */
  readonly blobs: readonly PaidBlob[];
}

export interface PaidBlob {
  readonly namespace: Namespace;
  /** Bytes of data. */
  readonly size: number;
  /** 32 bytes. */
  readonly commitment: Uint8Array;
  readonly shareVersion: number;
}

/** @throws {Rejected} `empty` without blobs or for one without data, `unauthorized` for a reserved namespace or another author. */
export function payForBlobs(payer: CelestiaAccount, blobs: readonly CelestiaBlob[]): PayForBlobs {
  if (blobs.length === 0) throw new Rejected('empty', { field: 'blobs' });
  return { payer, blobs: blobs.map((blob) => paidBlob(payer, blob)) };
}

/**
 * Checks that the message pays for exactly these blobs, as validators do before they take a transaction.
 *
 * @throws {Rejected} as {@link payForBlobs} does; `malformed` if the two differ.
 */
export function verifyPayForBlobs({ payer, blobs }: PayForBlobs, delivered: readonly CelestiaBlob[]): void {
  if (blobs.length !== delivered.length) {
    throw new Rejected('malformed', { problem: 'other number of blobs', paid: blobs.length, got: delivered.length });
  }
  if (delivered.length === 0) throw new Rejected('empty', { field: 'blobs' });
  for (const [index, blob] of delivered.entries()) {
    const [paid, expected] = [blobs[index], paidBlob(payer, blob)];
    const isSame =
      paid?.namespace === expected.namespace &&
      paid.size === expected.size &&
      paid.shareVersion === expected.shareVersion &&
      equalBytes(paid.commitment, expected.commitment);
    // At the first, since each commitment takes time.
    if (!isSame) throw new Rejected('malformed', { problem: 'another blob was paid for', blob: index });
  }
}

/** Gas that Celestia takes for the shares, with a fixed part for the rest of the transaction, which its own clients assume too. */
export function payForBlobsGas(
  blobs: readonly CelestiaBlob[],
  { gasPerBlobByte, txSizeCostPerByte }: { readonly gasPerBlobByte: bigint; readonly txSizeCostPerByte: bigint },
): bigint {
  const shares = blobs.reduce((sum, blob) => sum + shareCount(blob.data.length, getShareVersion(blob)), 0);
  const forShares = BigInt(shares * SHARE_LENGTH) * gasPerBlobByte;
  return forShares + BigInt(blobs.length * BYTES_PER_BLOB) * txSizeCostPerByte + FIXED_GAS;
}

/** celestia-app, x/blob/types/payforblob.go: `BytesPerBlobInfo` and `PFBGasFixedCost`. */
const BYTES_PER_BLOB = 70;
const FIXED_GAS = 75_000n;

export function encodePayForBlobs({ payer, blobs }: PayForBlobs): Uint8Array {
  const writer = new Writer(80 + 80 * blobs.length).string(1, formatCelestiaAddress(payer));
  for (const { namespace } of blobs) writer.bytesAlways(2, namespaceBytes(namespace));
  writer.uint32s(
    3,
    blobs.map(({ size }) => size),
  );
  for (const { commitment } of blobs) writer.bytesAlways(4, commitment);
  writer.uint32s(
    8,
    blobs.map(({ shareVersion }) => shareVersion),
  );
  return writer.finish();
}

/** @throws {Rejected} `malformed` */
export function decodePayForBlobs(bytes: Uint8Array): PayForBlobs {
  const reader = new Reader(bytes, 'MsgPayForBlobs');
  let payer = '';
  const namespaces: Uint8Array[] = [];
  const sizes: number[] = [];
  const commitments: Uint8Array[] = [];
  const versions: number[] = [];
  while (reader.next()) {
    if (reader.field === 1) payer = reader.string();
    else if (reader.field === 2) namespaces.push(reader.bytes());
    else if (reader.field === 3) reader.uint32s(sizes);
    else if (reader.field === 4) commitments.push(reader.bytes());
    else if (reader.field === 8) reader.uint32s(versions);
    else reader.skip();
  }
  const lists = [sizes, commitments, versions];
  if (namespaces.length === 0 || lists.some(({ length }) => length !== namespaces.length)) {
    throw new Rejected('malformed', { message: 'MsgPayForBlobs', problem: 'lists of different lengths' });
  }
  return {
    payer: parseCelestiaAddress(payer),
    blobs: namespaces.map((namespace, index) => ({
      namespace: namespaceFromBytes(namespace),
      size: sizes[index] ?? 0,
      commitment: commitments[index] ?? new Uint8Array(),
      shareVersion: versions[index] ?? 0,
    })),
  };
}

function paidBlob(payer: CelestiaAccount, blob: CelestiaBlob): PaidBlob {
  const { namespace, data, author } = blob;
  if (isReservedNamespace(namespace)) throw new Rejected('unauthorized', { namespace, problem: 'reserved' });
  if (author !== undefined && author !== payer) throw new Rejected('unauthorized', { author, payer });
  return { namespace, size: data.length, commitment: blobCommitment(blob), shareVersion: getShareVersion(blob) };
}
