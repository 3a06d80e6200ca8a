import { Rejected, toHex } from '@switchyard/protocol';
import { blobsOfNamespace, getRows, type TrustRoot } from '@switchyard/protocol/celestia';
import { wallClock } from '@switchyard/service';
import { TRUSTING_PERIOD_MS } from '../celestia/reader.ts';
import { TrustedHeaders } from '../celestia/trusted-headers.ts';
import { Archive, getEntry, type LoadedSegment, loadSegment } from './archive.ts';
import { archiveNode } from './node.ts';
import { ArchiveDamaged } from './segment.ts';
import type { ArchiveStore } from './store.ts';

export interface VerifiedArchive {
  readonly chainId: string;
  readonly first: bigint;
  readonly last: bigint;
  readonly segments: number;
  readonly blobs: number;
  /** Bytes at its end that were not written to their end; the next run of the archive replaces them. */
  readonly torn: number;
}

/**
 * All hashes, heights, headers and proofs.
 *
 * @param root A header that is known to be right, at a height of the archive: headers below follow from it by hashes.
 * @throws {ArchiveDamaged} with the place.
 */
export async function verifyArchive(store: ArchiveStore, root: TrustRoot, signal: AbortSignal) {
  const names = await store.names(signal);
  const chain = await checkChain(store, names, signal);
  const { first, last } = chain;
  if (root.height < first || root.height > last)
    throw new Error(
      `${store.place}: holds heights ${first} to ${last}, and the trusted one is ${root.height}: give one of these`,
    );
  const node = archiveNode(new Archive(store));
  const headers = new TrustedHeaders(
    { root, trustingPeriodMs: TRUSTING_PERIOD_MS },
    { fetch: node.header, wall: wallClock },
  );
  // That it is not the trusted one is no damage of another place.
  await headers.at(root.height, signal);
  let blobs = 0;
  for (const name of names) blobs += await checkProofs(store, await loadSegment(store, name, signal), headers, signal);
  return { ...chain, segments: names.length, blobs };
}

/** Hashes, and heights without a gap. */
async function checkChain(store: ArchiveStore, names: readonly string[], signal: AbortSignal) {
  let before: LoadedSegment | undefined;
  let first: bigint | undefined;
  let torn = 0;
  for (const [index, name] of names.entries()) {
    const segment = await loadSegment(store, name, signal);
    torn = segment === undefined ? (await store.read(name, signal)).length : segment.size - segment.length;
    if (torn > 0 && index < names.length - 1) throw new ArchiveDamaged(`${store.place}: ${name}: its end is not whole`);
    if (segment === undefined) continue;
    checkFollows(store, before, segment);
    first ??= segment.firstHeight;
    before = segment;
  }
  if (before === undefined || first === undefined) throw new Error(`${store.place}: holds no archive, or an empty one`);
  return { chainId: before.preamble.chainId, first, last: toNext(before) - 1n, torn };
}

/** @returns how many blobs there are. */
async function checkProofs(
  store: ArchiveStore,
  segment: LoadedSegment | undefined,
  headers: TrustedHeaders,
  signal: AbortSignal,
): Promise<number> {
  if (segment === undefined) return 0;
  let blobs = 0;
  for (const [index, frame] of segment.entries.entries()) {
    const height = segment.firstHeight + BigInt(index);
    const entry = getEntry(store, segment, frame, height);
    try {
      const { dah } = await headers.at(height, signal);
      for (const namespace of segment.preamble.namespaces) {
        if (getRows(dah, namespace).length > 0)
          blobs += blobsOfNamespace(dah, namespace, entry.rows.get(namespace) ?? []).length;
      }
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      const place = `${store.place}: ${segment.name}: byte ${frame.offset}: height ${height}`;
      throw new ArchiveDamaged(`${place}: ${error.message}`, { cause: error });
    }
  }
  return blobs;
}

const toNext = ({ firstHeight, entries }: LoadedSegment): bigint => firstHeight + BigInt(entries.length);

function checkFollows({ place }: ArchiveStore, before: LoadedSegment | undefined, segment: LoadedSegment): void {
  const { name, preamble, firstHeight, number } = segment;
  const expected = before === undefined ? '' : toHex(before.hash);
  if (preamble.previous !== expected) {
    const [is, other] = [preamble.previous, expected].map((hash) => (hash === '' ? 'nothing' : hash));
    throw new ArchiveDamaged(`${place}: ${name}: follows a segment that ends with ${is}, expected ${other}`);
  }
  if (before === undefined) return;
  if (firstHeight !== toNext(before))
    throw new ArchiveDamaged(`${place}: ${name}: begins with height ${firstHeight}, expected ${toNext(before)}`);
  if (number !== before.number + 1)
    throw new ArchiveDamaged(`${place}: ${name}: has number ${number}, expected ${before.number + 1}`);
}
