import type { SequencerClient } from '@switchyard/client';
import { type AccountId, formatAddress, type RollupId } from '@switchyard/protocol';
import type { Clock } from '@switchyard/service';
import type { EvmContext } from '../evm/http/context.ts';
import type { RollupIndexer } from '../rollups/rollup-indexer.ts';
import type { SequencerIndexer } from '../sequencer/indexer.ts';
import type { Value } from '../store/store.ts';
import type { BalanceSheets } from './balance-sheets.ts';
import type { ComposerTimes } from './composer-times.ts';

/** How accounts are written on this chain. */
export type AddressText = (account: Value | undefined) => string | null;

export const addressText =
  (prefix: string): AddressText =>
  (account) =>
    typeof account === 'string' && /^[0-9a-f]{40}$/.test(account) ? formatAddress(account as AccountId, prefix) : null;

/** A rollup whose node is read. */
export type FollowedRollup = Pick<RollupIndexer, 'state' | 'changed' | 'node'>;

/** Sources from which the routes answer: the index, and the nodes for facts that change with each block. */
export interface ApiContext extends EvmContext {
  readonly sequencer: Pick<SequencerIndexer, 'state' | 'changed'>;
  readonly rollups: readonly FollowedRollup[];
  readonly client: Pick<
    SequencerClient,
    'balances' | 'nonce' | 'bridgeAccount' | 'filteredBlock' | 'commit' | 'validators'
  >;
  readonly composer: ComposerTimes;
  readonly sheets: BalanceSheets;
  readonly address: AddressText;
  readonly addressPrefix: string;
  readonly clock: Clock;
}

/** The rollup of this id, if one of its nodes is followed. */
export function followed({ rollups }: Pick<ApiContext, 'rollups'>, id: string): FollowedRollup | undefined {
  return rollups.find((each) => each.state().head?.id === id);
}

export function rollupName(context: Pick<ApiContext, 'rollups'>, id: string): string | null {
  return followed(context, id)?.state().head?.name ?? null;
}

/** Whether the rollup calls the block final; null if unknown. */
export function isFirm(firm: number | undefined, block: number): boolean | null {
  return firm === undefined ? null : block <= firm;
}

/** The id of a rollup that is given by id or, if it is followed, by name. */
export function findRollupId({ rollups }: Pick<ApiContext, 'rollups'>, text: string): RollupId | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase() as RollupId;
  return rollups.find((each) => each.state().head?.name === text)?.state().head?.id;
}

export const isEvm = ({ evm }: Pick<ApiContext, 'evm'>, id: string): boolean =>
  evm.some(({ indexer }) => indexer.state().head?.id === id);
