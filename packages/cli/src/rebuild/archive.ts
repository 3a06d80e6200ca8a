/** An archive of the layer: which namespaces, from which node, trusted from where. */
import { collect, directoryStore, firstBlockOf } from '@switchyard/da';
import { fromHex, rollupIdFromName } from '@switchyard/protocol';
import { rollupNamespace, sequencerNamespace } from '@switchyard/protocol/celestia';
import { isLoopbackHost } from '@switchyard/service';
import type { InstancePaths } from '../dev/instance/home.ts';
import { Failure } from '../failure.ts';
import type { Anchor } from './anchor.ts';
import { archivedOf } from './of-instance.ts';

/** What of the layer is kept. */
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
  readonly directory: string;
  /** Takes the place of what the instance has. */
  readonly given: Archived;
  readonly instance: { readonly paths: InstancePaths; readonly network: string } | undefined;
  readonly from: bigint;
  readonly once: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  note(line: string): void;
}

const NOTE_EVERY_MS = 5_000;

/** @returns the last height that was written; undefined where none was before it was stopped. */
export async function archiveRun({
  directory,
  given,
  instance,
  env,
  note,
  ...options
}: ArchiveRunOptions): Promise<bigint | undefined> {
  const { signal } = options;
  const of = instance === undefined ? undefined : archivedOf(instance.paths, instance.network, env);
  const url = given.url ?? of?.url;
  const sequencerChainId = given.sequencerChainId ?? of?.sequencerChainId;
  const rollups = given.rollups.length > 0 ? given.rollups : (of?.rollups ?? []);
  if (url === undefined || sequencerChainId === undefined || rollups.length === 0)
    throw new Failure('expected --from-da, --sequencer-chain-id and --rollup, or --instance');
  const { tokenFile } = given;
  const node = { url, ...(tokenFile !== undefined && { token: { file: tokenFile, setting: '--da-token-file' } }) };
  let noted = performance.now();
  let last: bigint | undefined;
  return collect(
    {
      ...{ node, from: options.from, once: options.once },
      ...(await trustOf(given, node, signal)),
      namespaces: [
        sequencerNamespace(sequencerChainId),
        ...rollups.map((name) => rollupNamespace(rollupIdFromName(name))),
      ],
    },
    {
      store: directoryStore(directory),
      signal,
      waiting: (reason) => note(`waiting for the layer: ${reason}`),
      written(height, head) {
        last = height;
        if (performance.now() - noted < NOTE_EVERY_MS) return;
        noted = performance.now();
        note(`archived up to ${height} of ${head}`);
      },
    },
  ).catch((error: unknown) => {
    if (signal.aborted) return last;
    throw new Failure(error instanceof Error ? error.message : String(error), undefined, { cause: error });
  });
}

async function trustOf({ trusted, chainId }: Archived, node: { readonly url: string }, signal: AbortSignal) {
  if (trusted !== undefined && chainId !== undefined)
    return { root: { chainId, height: BigInt(trusted.height), hash: fromHex(trusted.hash) } };
  if (trusted !== undefined || !isLoopbackHost(new URL(node.url).hostname))
    throw new Failure(
      'expected --da-chain-id and --da-trusted HEIGHT:HASH: a block of the layer that is known to be right',
    );
  return firstBlockOf(node, signal);
}
