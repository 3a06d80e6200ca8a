/** An archive in the place of a light node: just as little of it is believed. */
import type { Namespace } from '@switchyard/protocol/celestia';
import { type LightNode, type LightNodeOptions, lightNode } from '../celestia/light-node.ts';
import { type CelestiaReaderDeps, createReader, type TrustOptions } from '../celestia/reader.ts';
import { type DaReader, DaUnavailable } from '../layer.ts';
import { Archive } from './archive.ts';
import { type ArchivePlace, openArchiveStore } from './place.ts';

export function archiveNode(archive: Archive): LightNode {
  const entry = async (height: bigint, signal: AbortSignal) => {
    const found = await archive.entry(height, signal);
    if (found === undefined) throw new DaUnavailable(`the archive does not have height ${height}`);
    return found;
  };
  return {
    async networkHead(signal) {
      const { chainId, height } = await archive.last(signal);
      return { chainId, height };
    },
    header: async (height, signal) => (await entry(height, signal)).header,
    async namespaceData(height, namespace: Namespace, signal) {
      const rows = (await entry(height, signal)).rows.get(namespace);
      if (rows !== undefined) return [...rows];
      // Trying again does not help.
      throw new Error(
        `the archive was made without namespace ${namespace}: make one of the namespaces that are needed`,
      );
    },
  };
}

/** Falls back to the archive for heights that the node does not have, or not any more. */
export function withArchive(node: LightNode, archive: LightNode): LightNode {
  const either = async <T>(first: () => Promise<T>, second: () => Promise<T>): Promise<T> => {
    try {
      return await first();
    } catch (error) {
      if (!(error instanceof DaUnavailable)) throw error;
      return second().catch((other: unknown) => {
        throw other instanceof DaUnavailable ? error : other;
      });
    }
  };
  return {
    networkHead: (signal) => node.networkHead(signal),
    ...(node.waitFor && { waitFor: node.waitFor }),
    header: (height, signal) =>
      either(
        () => node.header(height, signal),
        () => archive.header(height, signal),
      ),
    namespaceData: (height, namespace, signal) =>
      either(
        () => node.namespaceData(height, namespace, signal),
        () => archive.namespaceData(height, namespace, signal),
      ),
  };
}

export interface ArchiveReaderOptions extends TrustOptions {
  readonly archive: ArchivePlace;
  /** A light node that is queried first; without it, only the archive is read. */
  readonly node?: LightNodeOptions | undefined;
}

export async function createArchiveReader(options: ArchiveReaderOptions, deps: CelestiaReaderDeps): Promise<DaReader> {
  const kept = archiveNode(new Archive(await openArchiveStore(options.archive)));
  return createReader(options.node === undefined ? kept : withArchive(lightNode(options.node), kept), options, deps);
}
