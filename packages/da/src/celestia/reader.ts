/**
 * Reads blobs through a light node, of which nothing is believed: headers follow from a trusted one, and the content of a namespace
 * at a height is proven complete against its header, emptiness included.
 */
import { headerHash } from '@switchyard/protocol';
import { blobsOfNamespace, celestiaAccountBytes, getRows, type TrustRoot } from '@switchyard/protocol/celestia';
import { type Clock, type Logger, systemClock, type WallClock, wallClock } from '@switchyard/service';
import type { DaBlob, DaReader } from '../layer.ts';
import { headerFile } from './header-file.ts';
import { type LightNode, type LightNodeOptions, lightNode } from './light-node.ts';
import { TrustedHeaders } from './trusted-headers.ts';

export interface CelestiaReaderOptions extends LightNodeOptions, TrustOptions {}

export interface TrustOptions {
  readonly root: TrustRoot;
  /** Storage of the newest verified header. */
  readonly headerFile?: string | undefined;
  /** A header is trusted for this long: less than the period in which validators can be punished for their signatures. */
  readonly trustingPeriodMs?: number;
}

export interface CelestiaReaderDeps {
  readonly log: Logger;
  readonly clock?: Clock;
  readonly wall?: WallClock;
}

const CENTURY_MS = 100 * 365 * 24 * 3_600_000;
/** Celestia unbonds in 14 days and an hour. */
export const TRUSTING_PERIOD_MS = 7 * 24 * 3_600_000;

export function createCelestiaReader(options: CelestiaReaderOptions, deps: CelestiaReaderDeps): DaReader {
  return createReader(lightNode(options), options, deps);
}

/** A reader from any node, of which nothing is believed. */
export function createReader(node: LightNode, options: TrustOptions, deps: CelestiaReaderDeps): DaReader {
  const { root, trustingPeriodMs = TRUSTING_PERIOD_MS } = options;
  const { log, clock = systemClock, wall = wallClock } = deps;
  const { headerFile: path } = options;
  const store = path === undefined ? undefined : headerFile({ path, root }, { log, clock });
  const headers = new TrustedHeaders({ root, trustingPeriodMs }, { fetch: node.header, store, wall });
  return {
    chainId: async (signal) => (await node.networkHead(signal)).chainId,
    head: async (signal) => (await node.networkHead(signal)).height,
    ...(node.waitFor && { waitFor: node.waitFor }),

    async read(height, namespaces, signal) {
      const { header, dah } = await headers.at(height, signal);
      const blobs = await Promise.all(
        namespaces.map(async (namespace): Promise<readonly DaBlob[]> => {
          // The header alone shows that there are none.
          if (getRows(dah, namespace).length === 0) return [];
          const rows = await node.namespaceData(height, namespace, signal);
          return blobsOfNamespace(dah, namespace, rows).map(({ data, author }) =>
            author === undefined ? { data } : { data, author: celestiaAccountBytes(author) },
          );
        }),
      );
      return { height, hash: headerHash(header), time: header.time, blobs };
    },
  };
}

/**
 * The first block of a chain as shown by its node, for readers that may believe the node: nothing tells whether it is the
 * right one.
 *
 * @returns with it, how long trust may begin there. A chain with one validator, as on a machine for development, has none
 *   that could leave and sign another past.
 * @throws {DaUnavailable}
 */
export async function getFirstBlock(options: LightNodeOptions, signal: AbortSignal) {
  const { header, validators } = await lightNode(options).header(1n, signal);
  const root = { chainId: header.chainId, height: 1n, hash: headerHash(header) };
  return { root, ...(validators.length === 1 && { trustingPeriodMs: CENTURY_MS }) };
}
