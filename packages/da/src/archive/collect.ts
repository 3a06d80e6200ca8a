/** Copies what the layer holds for some namespaces into an archive, height after height, each proven before it is written. */
import { Rejected } from '@switchyard/protocol';
import { blobsOfNamespace, type Namespace, type NamespaceRow, rowsOf } from '@switchyard/protocol/celestia';
import { backoffMs, errorLine, sleep, systemClock, wallClock } from '@switchyard/service';
import { type LightNode, type LightNodeOptions, lightNode } from '../celestia/light-node.ts';
import { TRUSTING_PERIOD_MS, type TrustOptions } from '../celestia/reader.ts';
import { TrustedHeaders } from '../celestia/trusted-headers.ts';
import { DaUnavailable } from '../layer.ts';
import { type ArchiveWriter, openArchiveWriter } from './archive.ts';
import type { ArchiveEntry } from './entry.ts';
import type { ArchiveStore } from './store.ts';

export interface CollectOptions extends Pick<TrustOptions, 'root' | 'trustingPeriodMs'> {
  readonly node: LightNodeOptions;
  readonly namespaces: readonly Namespace[];
  /** The first height, where the archive is empty. */
  readonly from: bigint;
  /** Ends with the newest height of the layer, as it is at the start. */
  readonly once: boolean;
  readonly maxSegmentBytes?: number;
}

export interface CollectDeps {
  readonly store: ArchiveStore;
  readonly signal: AbortSignal;
  /** Now and then, while the node does not have what is asked for. */
  waiting(reason: string): void;
  /** After each height. */
  written(height: bigint, head: bigint): void;
}

const BACKOFF = { initialMs: 200, maxMs: 10_000 };
const POLL_MS = 1_000;

/** @returns the last height that is in it. @throws {Error} where settings are to be corrected, or the disk fails. */
export async function collect(options: CollectOptions, deps: CollectDeps): Promise<bigint> {
  const { root, trustingPeriodMs = TRUSTING_PERIOD_MS, namespaces, from, once, maxSegmentBytes } = options;
  const { store, signal, written } = deps;
  const node = lightNode(options.node);
  const { chainId } = root;
  const writer: ArchiveWriter = await openArchiveWriter(store, {
    ...{ chainId, namespaces, from },
    ...(maxSegmentBytes !== undefined && { maxSegmentBytes }),
  });
  const headers = new TrustedHeaders(
    { root, trustingPeriodMs },
    { fetch: node.header, store: { load: () => undefined, newest: () => undefined }, wall: wallClock },
  );
  const again = <T>(work: () => Promise<T>) => repeated(work, deps);
  for (let end: bigint | undefined; ; ) {
    const { height: head } = await again(() => node.networkHead(signal));
    end ??= head;
    for (; writer.next <= head && (!once || writer.next <= end); written(writer.next - 1n, head)) {
      const height = writer.next;
      await writer.append(await again(() => provenEntry(height, { node, headers, namespaces, signal })));
    }
    if (once) return writer.next - 1n;
    await sleep(POLL_MS, signal, systemClock);
  }
}

async function provenEntry(
  height: bigint,
  {
    node,
    headers,
    namespaces,
    signal,
  }: {
    readonly node: LightNode;
    readonly headers: TrustedHeaders;
    readonly namespaces: readonly Namespace[];
    readonly signal: AbortSignal;
  },
): Promise<ArchiveEntry> {
  const header = await headers.at(height, signal);
  const rows = new Map<Namespace, readonly NamespaceRow[]>();
  for (const namespace of namespaces) {
    // The header alone shows that there are none.
    if (rowsOf(header.dah, namespace).length === 0) continue;
    const answer = await node.namespaceData(height, namespace, signal);
    blobsOfNamespace(header.dah, namespace, answer);
    rows.set(namespace, answer);
  }
  return { height, header, rows };
}

/** What a node does not have, or shows wrong, it may show right another time. */
async function repeated<T>(work: () => Promise<T>, { waiting, signal }: CollectDeps): Promise<T> {
  for (let attempts = 0; ; attempts += 1) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof DaUnavailable || error instanceof Rejected)) throw error;
      if (attempts % 10 === 0) waiting(errorLine(error));
      await sleep(backoffMs(attempts, BACKOFF, Math.random), signal, systemClock);
    }
  }
}
