/** Blobs of anybody, opened within bounds. */
import { promisify } from 'node:util';
import { brotliDecompress, brotliDecompressSync } from 'node:zlib';
import type { DaBlob } from '@switchyard/da';
import { equalBytes, MOST_LIST_BYTES, mostOpenedBytes, Rejected } from '@switchyard/protocol';
import { celestiaAccountFromBytes, formatCelestiaAddress } from '@switchyard/protocol/celestia';
import { outside, turn } from '@switchyard/service';

const decompress = promisify(brotliDecompress);
/** Up to here it is decompressed in this thread: a trip to another one costs ten times as much as such a blob does. */
const SMALL_BYTES = 8_192;
const UNNAMED = 'an account that is not named';
/** Number of blobs after which others have a turn. */
const TURN = 64;

/** An entry of a blob, and the account of the layer that posted it. */
export interface Opened<T> {
  readonly entry: T;
  /** Its address; all blobs that name no account share one text. */
  readonly author: string;
}

interface OpenedBlobs<T> {
  readonly entries: readonly Opened<T>[];
  /** Blobs that were passed over. */
  readonly useless: number;
}

/** @param authors Accounts of 20 bytes whose blobs are opened; those of everybody, if none is given. */
export async function openBlobs<T>(
  blobs: readonly DaBlob[],
  authors: readonly Uint8Array[],
  decode: (bytes: Uint8Array) => readonly T[],
): Promise<OpenedBlobs<T>> {
  const entries: Opened<T>[] = [];
  let useless = 0;
  for (const [index, { data, author }] of blobs.entries()) {
    if (index % TURN === TURN - 1) await turn();
    const isOfAuthor = authors.length === 0 || authors.some((each) => author !== undefined && equalBytes(each, author));
    // Blobs with a named author may be of the reference, whose blobs compress as well as users like.
    const limit = authors.length === 0 ? mostOpenedBytes(data.length) : MOST_LIST_BYTES;
    const opened = isOfAuthor ? await open(data, limit, decode) : undefined;
    if (opened === undefined) useless += 1;
    else {
      const named = author === undefined ? UNNAMED : formatCelestiaAddress(celestiaAccountFromBytes(author));
      for (const entry of opened) entries.push({ entry, author: named });
    }
  }
  return { entries, useless };
}

/** @returns undefined for foreign blobs: not compressed, cut, too large, or of other contents. */
async function open<T>(data: Uint8Array, maxOutputLength: number, decode: (bytes: Uint8Array) => readonly T[]) {
  try {
    const most = mostOpenedBytes(data.length);
    const isSmall = data.length <= SMALL_BYTES && maxOutputLength <= most;
    return decode(
      isSmall ? brotliDecompressSync(data, { maxOutputLength }) : await outside(decompress(data, { maxOutputLength })),
    );
  } catch (error) {
    // The first is the decoder's error, the others come from the decompression.
    if (error instanceof Rejected || (error instanceof Error && 'code' in error)) return undefined;
    throw error;
  }
}
