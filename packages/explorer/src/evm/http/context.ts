import { HttpError, type Logger } from '@switchyard/service';
import type { LayerPlaces } from '../../http/layer-places.ts';
import { notFound } from '../../http/problems.ts';
import type { RollupIndexer } from '../../rollups/rollup-indexer.ts';
import { evmKey } from '../../store/evm-tables.ts';
import type { IndexStore } from '../../store/store.ts';
import type { EvmNode } from '../evm-node.ts';
import type { Contracts } from '../open-contracts.ts';

/** An EVM rollup that is followed. */
export interface FollowedEvm {
  readonly indexer: Pick<RollupIndexer, 'state'>;
  readonly node: EvmNode;
  /** JSON-RPC of the rollup for wallets in browsers; that of the node, if absent. */
  readonly walletUrl?: string | undefined;
}

/** Sources from which the routes of EVM rollups answer. */
export interface EvmContext {
  readonly store: Pick<IndexStore, 'read'>;
  /** EVM rollups among all that are followed, with their nodes. */
  readonly evm: readonly FollowedEvm[];
  readonly contracts: Contracts;
  readonly layer: Pick<LayerPlaces, 'of'>;
  readonly log: Logger;
  /** Aborts when the process stops. */
  readonly signal: AbortSignal;
}

/** An EVM rollup that has answered. */
export type EvmRollup = ReturnType<typeof evmRollups>[number];

/** The rollup that a request names. @param text Its name or its id. @throws {HttpError} 404, or 503 while no EVM rollup has answered yet. */
export function evmRollup({ evm }: Pick<EvmContext, 'evm'>, text: string): EvmRollup {
  const all = evmRollups({ evm });
  const found = all.find(({ id, name }) => id === text.toLowerCase() || name === text);
  if (found !== undefined) return found;
  if (all.length < evm.length)
    throw new HttpError(503, 'unavailable', 'an EVM rollup that is to be followed has not answered yet');
  throw notFound(`no EVM rollup ${JSON.stringify(text.slice(0, 100))} is followed here`);
}

/** Rollups whose node has answered, in the order of the setting. */
export function evmRollups({ evm }: Pick<EvmContext, 'evm'>) {
  return evm.flatMap(({ indexer, node, walletUrl = node.url }) => {
    const { head, number, hash, awaySince } = indexer.state();
    if (head === undefined) return [];
    const { id, name, chainId, firm } = head;
    // `key` is that of its rows, and `indexed` the newest block in the index.
    return [
      { id, name, chainId, key: evmKey(id), indexed: number, indexedHash: hash, firm, awaySince, node, walletUrl },
    ];
  });
}
