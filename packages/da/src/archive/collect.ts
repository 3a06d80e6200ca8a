/** Copies the layer's blobs of some namespaces into an archive, height after height, each proven before it is written. */
import { Rejected } from '@switchyard/protocol';
import { blobsOfNamespace, getRows, type Namespace, type NamespaceRow } from '@switchyard/protocol/celestia';
import { backoffMs, type Clock, errorLine, sleep, systemClock, systemRandom, wallClock } from '@switchyard/service';
import { type LightNode, type LightNodeOptions, lightNode } from '../celestia/light-node.ts';
import { TRUSTING_PERIOD_MS, type TrustOptions } from '../celestia/reader.ts';
import { TrustedHeaders } from '../celestia/trusted-headers.ts';
import { DaUnavailable } from '../layer.ts';
import type { ArchiveEntry } from './entry.ts';
import type { ArchiveStore } from './store.ts';
import { type ArchiveWriter, openArchiveWriter } from './writer.ts';

export interface CollectOptions extends Pick<TrustOptions, 'root' | 'trustingPeriodMs'> {
  readonly node: LightNodeOptions;
  readonly namespaces: readonly Namespace[];
  /** The first height, if the archive is empty. */
  readonly from: bigint;
  /** Ends with the newest height that the layer has at the start. */
  readonly once: boolean;
  readonly maxSegmentBytes?: number;
  /** Gathered entries are put this often, if segments do not grow. The next run copies entries lost in a kill. */
  readonly flushMs?: number;
}

export interface CollectDeps {
  readonly store: ArchiveStore;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  /** Now and then, while node or store fail. */
  waiting(reason: string): void;
  /** Up to which height all is kept, each time that it is a higher one. */
  written(height: bigint, head: bigint): void;
}

const BACKOFF = { initialMs: 200, maxMs: 10_000 };
const POLL_MS = 1_000;
const FLUSH_MS = 300_000;

/**
 * Copies blocks into the archive. Gathered entries are put also when it is stopped, or fails.
 *
 * @returns the last height that is kept.
 * @throws {Error} if settings are to be corrected, the store fails, or another process writes to it.
 */
export async function collect(options: CollectOptions, deps: CollectDeps): Promise<bigint> {
  const { namespaces, from, maxSegmentBytes, root } = options;
  const { store, signal } = deps;
  const made = { chainId: root.chainId, namespaces, from, ...(maxSegmentBytes !== undefined && { maxSegmentBytes }) };
  const writer = await openArchiveWriter(store, made, signal);
  let { kept } = writer;
  let head = kept;
  const report = () => {
    if (writer.kept > kept) deps.written(writer.kept, head);
    kept = writer.kept;
  };
  try {
    await copyAll(writer, options, deps, (seen) => {
      head = seen;
      report();
    });
  } finally {
    await writer.flush();
    report();
  }
  return kept;
}

/** @param progress Gets the newest height of the layer. */
async function copyAll(
  writer: ArchiveWriter,
  options: CollectOptions,
  deps: CollectDeps,
  progress: (head: bigint) => void,
): Promise<void> {
  const { root, trustingPeriodMs = TRUSTING_PERIOD_MS, namespaces, once, flushMs = FLUSH_MS } = options;
  const { signal, clock = systemClock } = deps;
  const node = lightNode(options.node);
  const headers = new TrustedHeaders({ root, trustingPeriodMs }, { fetch: node.header, wall: wallClock });
  const again = <T>(work: () => Promise<T>) => repeated(work, deps);
  let flushedAt = clock.now();
  const settle = async (head: bigint) => {
    if (clock.now() - flushedAt >= flushMs) {
      await again(() => writer.flush());
      flushedAt = clock.now();
    }
    progress(head);
  };
  for (let end: bigint | undefined; ; ) {
    const { height: head } = await again(() => node.networkHead(signal));
    end ??= head;
    while (writer.next <= head && (!once || writer.next <= end)) {
      const entry = await again(() => provenEntry(writer.next, node, headers, namespaces, signal));
      await again(() => writer.append(entry));
      await settle(head);
    }
    if (once) return;
    await sleep(POLL_MS, signal, clock);
    await settle(head);
  }
}

async function provenEntry(
  height: bigint,
  node: LightNode,
  headers: TrustedHeaders,
  namespaces: readonly Namespace[],
  signal: AbortSignal,
): Promise<ArchiveEntry> {
  const header = await headers.at(height, signal);
  const rows = new Map<Namespace, readonly NamespaceRow[]>();
  for (const namespace of namespaces) {
    // The header alone shows that there are none.
    if (getRows(header.dah, namespace).length === 0) continue;
    const answer = await node.namespaceData(height, namespace, signal);
    blobsOfNamespace(header.dah, namespace, answer);
    rows.set(namespace, answer);
  }
  return { height, header, rows };
}

/** Repeats work that fails: a node may later have missing data, or correct wrong data. */
async function repeated<T>(work: () => Promise<T>, { waiting, signal }: CollectDeps): Promise<T> {
  for (let attempts = 0; ; attempts += 1) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof DaUnavailable || error instanceof Rejected)) throw error;
      if (attempts % 10 === 0) waiting(errorLine(error));
      await sleep(backoffMs(attempts, BACKOFF, systemRandom), signal, systemClock);
    }
  }
}
