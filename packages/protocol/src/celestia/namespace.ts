/** Namespaces of Celestia, by which the shares of a square are sorted. @see go-square v4, share/namespace.go */

import { fromHex, type Id, type RollupId, toHex } from '../accounts/ids.ts';
import { sha256 } from '../bytes/hash.ts';
import { Rejected } from '../errors.ts';

export const NAMESPACE_LENGTH = 29;
/** Length of the part that the user of a namespace of version 0 chooses. */
export const NAMESPACE_ID_LENGTH = 10;

/**
 * 29 bytes in lower-case hex: the version, and an id of 28 bytes, of which version 0 leaves the last 10 to its user. The
 * order of these texts is that of the bytes.
 */
export type Namespace = Id<'namespace'>;

const PREFIX = '00'.repeat(NAMESPACE_LENGTH - NAMESPACE_ID_LENGTH);
const primary = (last: string) => `${'00'.repeat(NAMESPACE_LENGTH - 1)}${last}` as Namespace;
const secondary = (last: string) => `${'ff'.repeat(NAMESPACE_LENGTH - 1)}${last}` as Namespace;

/** Namespaces that Celestia keeps for itself. */
export const RESERVED_NAMESPACES = {
  transactions: primary('01'),
  intermediateStateRoots: primary('02'),
  payForBlobs: primary('04'),
  payForFibre: primary('05'),
  /** Between the transactions and the first blob; the largest of the lower range. */
  primaryPadding: primary('ff'),
  /** After the last blob. */
  tailPadding: secondary('fe'),
  /** Namespace of the shares that erasure coding adds. */
  parity: secondary('ff'),
} as const;

/**
 * A namespace of version 0.
 *
 * @param id 10 bytes. @throws {Rejected} `malformed` for another length.
 */
export function namespaceFromId(id: Uint8Array): Namespace {
  if (id.length !== NAMESPACE_ID_LENGTH) throw wrongLength('namespace id', NAMESPACE_ID_LENGTH, id);
  return `${PREFIX}${toHex(id)}` as Namespace;
}

/** @throws {Rejected} `malformed`, unless it is 29 bytes of version 0 with its 18 zero bytes, or of version 255. */
export function namespaceFromBytes(bytes: Uint8Array): Namespace {
  if (bytes.length !== NAMESPACE_LENGTH) throw wrongLength('namespace', NAMESPACE_LENGTH, bytes);
  const text = toHex(bytes) as Namespace;
  if (text.startsWith(PREFIX) || text.startsWith('ff')) return text;
  throw new Rejected('malformed', { field: 'namespace', expected: 'version 0 or 255', got: text });
}

export const namespaceBytes = (namespace: Namespace): Uint8Array => fromHex(namespace);

/** Namespace of the sequencer's blocks: its id is the first 10 bytes of SHA-256 of the sequencer's chain id. */
export function sequencerNamespace(chainId: string): Namespace {
  return namespaceFromId(sha256(new TextEncoder().encode(chainId)).subarray(0, NAMESPACE_ID_LENGTH));
}

/**
 * Namespace of the data of a rollup: its id is the first 10 bytes of the rollup's id. Two rollups may share one;
 * a rollup id with nine zero bytes in front leads into the reserved range, in which nothing can be posted
 * ({@link isReservedNamespace}).
 */
export function rollupNamespace(rollup: RollupId): Namespace {
  return `${PREFIX}${rollup.slice(0, 2 * NAMESPACE_ID_LENGTH)}` as Namespace;
}

/** Whether no blob may be posted there: the first 256 of version 0 and all of version 255 are Celestia's own. */
export function isReservedNamespace(namespace: Namespace): boolean {
  return namespace <= RESERVED_NAMESPACES.primaryPadding || !namespace.startsWith(PREFIX);
}

function wrongLength(field: string, expected: number, bytes: Uint8Array): Rejected {
  return new Rejected('malformed', { field, expected: `${expected} bytes`, got: `${bytes.length} bytes` });
}
