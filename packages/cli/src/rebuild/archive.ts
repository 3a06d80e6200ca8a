/** An archive of the layer: which namespaces, from which node, trusted from where. */
import { type ArchivePlace, collect, getFirstBlock, openArchiveStore } from '@switchyard/da';
import { fromHex, rollupIdFromName } from '@switchyard/protocol';
import { rollupNamespace, sequencerNamespace } from '@switchyard/protocol/celestia';
import { isAbort, isLoopbackHost } from '@switchyard/service';
import { Failure } from '@switchyard/service/failure';
import type { InstancePaths } from '../dev/instance/home.ts';
import type { Anchor } from './anchor.ts';
import { findArchived } from './of-instance.ts';

/** Node, chain and rollups of the layer that are archived. */
export interface Archived {
  readonly url: string | undefined;
  readonly chainId: string | undefined;
  readonly trusted: Anchor | undefined;
  readonly tokenFile: string | undefined;
  readonly sequencerChainId: string | undefined;
  /** Names. */
  readonly rollups: readonly string[];
}

export interface ArchiveRunOptions {
  readonly place: ArchivePlace;
  /** Takes the place of the instance's own. */
  readonly given: Archived;
  readonly instance: { readonly paths: InstancePaths; readonly network: string } | undefined;
  readonly from: bigint;
  readonly once: boolean;
  /** In S3: gathered entries are put at this interval. */
  readonly flushMs: number | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  note(line: string): void;
}

const NOTE_EVERY_MS = 5_000;

/** @returns the last height that is kept; undefined if none was added before it was stopped. */
export async function archiveRun({
  place,
  given,
  instance,
  env,
  note,
  ...options
}: ArchiveRunOptions): Promise<bigint | undefined> {
  const { signal } = options;
  const item = instance === undefined ? undefined : findArchived(instance.paths, instance.network, env);
  const url = given.url ?? item?.url;
  const sequencerChainId = given.sequencerChainId ?? item?.sequencerChainId;
  const rollups = given.rollups.length > 0 ? given.rollups : (item?.rollups ?? []);
  if (url === undefined || sequencerChainId === undefined || rollups.length === 0)
    throw new Failure('expected --from-da, --sequencer-chain-id and --rollup, or --instance');
  const { tokenFile } = given;
  const node = { url, ...(tokenFile !== undefined && { token: { file: tokenFile, setting: '--da-token-file' } }) };
  let noted = performance.now();
  let last: bigint | undefined;
  const { from, once, flushMs } = options;
  const collecting = async () => {
    const namespaces = [
      sequencerNamespace(sequencerChainId),
      ...rollups.map((name) => rollupNamespace(rollupIdFromName(name))),
    ];
    const trust = await getTrust(given, node, signal);
    const what = { node, namespaces, from, once, ...trust, ...(flushMs !== undefined && { flushMs }) };
    return collect(what, {
      store: await openArchiveStore(place),
      signal,
      waiting: (reason) => note(`waiting: ${reason}`),
      written(height, head) {
        last = height;
        if (performance.now() - noted < NOTE_EVERY_MS) return;
        noted = performance.now();
        note(`archived up to ${height} of ${head}`);
      },
    });
  };
  return collecting().catch((error: unknown) => {
    if (isAbort(error, signal)) return last;
    throw new Failure(error instanceof Error ? error.message : String(error), error);
  });
}

async function getTrust({ trusted, chainId }: Archived, node: { readonly url: string }, signal: AbortSignal) {
  if (trusted !== undefined && chainId !== undefined)
    return { root: { chainId, height: BigInt(trusted.height), hash: fromHex(trusted.hash) } };
  if (trusted !== undefined || !isLoopbackHost(new URL(node.url).hostname))
    throw new Failure(
      'expected --da-chain-id and --da-trusted HEIGHT:HASH: a block of the layer that is known to be right',
    );
  return getFirstBlock(node, signal);
}
