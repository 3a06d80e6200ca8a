import type { Manifest } from '../manifest/fields.ts';

/*
 * The local data-availability layer and a relayer if a manifest or a sequencer network describes them: in a cluster alongside
 * their sequencer network, or with a rollup on one machine.
 */

/** Memory of a container, requested and bounded. */
export const LAYER_MEMORY = { da: '256Mi', relayer: '256Mi' } as const;

/** Blocks of the local layer are made each second, and cost nothing. */
export const LOCAL_BATCH_MS = 1_000;

/** Between empty blocks of the local layer. */
export const EMPTY_LAYER_BLOCK_MS = 2_000;

/** Whether the local layer and a relayer run with the rollup. */
export function hasLocalLayer({ daKind }: Pick<Manifest, 'daKind'>): boolean {
  return daKind === 'local';
}
