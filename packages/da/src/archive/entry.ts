/** Entries of an archive: JSON as light nodes answer it, compressed. */
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { base64FromJson, Rejected } from '@switchyard/protocol';
import {
  type ExtendedHeader,
  extendedHeaderFromJson,
  type Namespace,
  type NamespaceRow,
  namespaceBytes,
  namespaceFromBytes,
  namespaceRowsFromJson,
  renderExtendedHeader,
  renderNamespaceRows,
} from '@switchyard/protocol/celestia';
import { type Input, InvalidData, parseInput } from '@switchyard/service/input';
import { ArchiveDamaged, MAX_FRAME_BYTES } from './segment.ts';

/** One height of the layer. */
export interface ArchiveEntry {
  readonly height: bigint;
  readonly header: ExtendedHeader;
  /** Rows of the namespaces that the header leaves open; of the others it shows that there are none. */
  readonly rows: ReadonlyMap<Namespace, readonly NamespaceRow[]>;
}

/** Beginning of each segment. */
export interface Preamble {
  readonly chainId: string;
  readonly namespaces: readonly Namespace[];
  /** Hash of the last entry of the segment before, 64 hex digits; empty in the first one. */
  readonly previous: string;
}

const VERSION = 1;
const MAX_NAMESPACES = 256;
/** Rows are incompressible at worst, and twice as long as text. */
const MAX_TEXT_BYTES = 2 * MAX_FRAME_BYTES;

export function encodePreamble({ chainId, namespaces, previous }: Preamble): Uint8Array {
  return encoded({ version: VERSION, chainId, namespaces: namespaces.map(toBase64), previous });
}

export function encodeEntry({ height, header, rows }: ArchiveEntry): Uint8Array {
  const data = [...rows].map(([namespace, each]) => ({
    namespace: toBase64(namespace),
    rows: renderNamespaceRows(each),
  }));
  return encoded({ height: String(height), header: renderExtendedHeader(header), data });
}

/** @throws {ArchiveDamaged} */
export function decodePreamble(bytes: Uint8Array, place: string): Preamble {
  return decoded(bytes, place, (input) => {
    if (input.at('version').big() !== BigInt(VERSION)) input.at('version').fail(`${VERSION}`);
    const previous = input.at('previous').text();
    if (!/^([0-9a-f]{64})?$/.test(previous)) input.at('previous').fail('64 hex digits, or none');
    return {
      chainId: input.at('chainId').text(),
      namespaces: input.at('namespaces').list(MAX_NAMESPACES).map(namespaceIn),
      previous,
    };
  });
}

/** @throws {ArchiveDamaged} */
export function decodeEntry(bytes: Uint8Array, place: string): ArchiveEntry {
  return decoded(bytes, place, (input) => ({
    height: input.at('height').big(1n, 2n ** 63n - 1n),
    header: extendedHeaderFromJson(input.at('header')),
    rows: new Map(
      input
        .at('data')
        .list(MAX_NAMESPACES)
        .map((each) => [namespaceIn(each.at('namespace')), namespaceRowsFromJson(each.at('rows'))]),
    ),
  }));
}

/** Fast, since each height is compressed while the next is read. */
function encoded(value: object): Uint8Array {
  return brotliCompressSync(Buffer.from(JSON.stringify(value)), { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
}

function decoded<T>(bytes: Uint8Array, place: string, read: (input: Input) => T): T {
  try {
    return read(parseInput(brotliDecompressSync(bytes, { maxOutputLength: MAX_TEXT_BYTES }).toString(), place));
  } catch (error) {
    // Only errors that zlib, our parsers and the checks of Celestia's types throw.
    const reason =
      error instanceof InvalidData || error instanceof Rejected || error instanceof Error ? error.message : '';
    throw new ArchiveDamaged(`${place}: ${reason}`, { cause: error });
  }
}

function namespaceIn(input: Input): Namespace {
  const bytes = base64FromJson(input);
  return input.parsed(() => namespaceFromBytes(bytes), 'a namespace of 29 bytes in base64');
}

const toBase64 = (namespace: Namespace): string => Buffer.from(namespaceBytes(namespace)).toString('base64');
