import { credit, executeTransaction, type Overlay } from '@switchyard/machine';
import {
  type Action,
  type AssetId,
  accountIdFromBytes,
  accountIdFromPublicKey,
  commitRollupData,
  encodeDeposit,
  type RollupId,
  type SequencerTransaction,
  toHex,
} from '@switchyard/protocol';
import { encodeEachField } from '../fields.ts';
import type { SequencerEvent } from './actions/handler.ts';
import { handlers } from './actions/registry.ts';
import { type FeeMemo, feePayer } from './fees.ts';
import { removeMisbehaving, sudo, validators } from './tables/authority.ts';
import { bridges, lastTransactions } from './tables/bridge.ts';
import { present } from './tables/cell.ts';
import { type Chain, writeBlock } from './tables/chain.ts';
import { nonceSpenders } from './tables/spenders.ts';
import type { Proposal, ValidatorUpdate } from './types.ts';

/** Number of the field of RollupData that holds a user's submission. */
const SEQUENCED_DATA = 1;

/** Everything a block's execution leaves behind, alongside the writes in its overlay. */
export interface ExecutedBlock {
  readonly overlay: Overlay;
  readonly committed: ReturnType<typeof commitRollupData>;
  readonly validatorUpdates: readonly ValidatorUpdate[];
  readonly feesChanged: boolean;
}

/** Executes one block, transaction by transaction, on an overlay that is not visible until it is sealed. */
export class BlockExecution {
  readonly #overlay: Overlay;
  readonly #chain: Chain;
  readonly #block: Pick<Proposal, 'height' | 'time'>;
  readonly #data = new Map<RollupId, Uint8Array[]>();
  readonly #deposits = new Map<RollupId, Uint8Array[]>();
  readonly #fees = new Map<AssetId, bigint>();
  readonly #validatorUpdates = new Map<string, ValidatorUpdate>();
  readonly #memo: FeeMemo = { last: undefined };
  #feesChanged = false;

  constructor(overlay: Overlay, chain: Chain, block: Pick<Proposal, 'height' | 'time' | 'misbehavior'>) {
    this.#overlay = overlay;
    this.#chain = chain;
    this.#block = block;
    writeBlock(overlay, block.height, block.time);
    for (const { address } of block.misbehavior) {
      const update = removeMisbehaving(overlay, accountIdFromBytes(address));
      if (update !== undefined) this.#validatorUpdates.set(toHex(update.publicKey), update);
    }
  }

  /** For looking ahead: whether a nonce can be right yet. */
  get state(): Overlay {
    return this.#overlay;
  }

  /**
   * @returns the transaction's events.
   * @throws {Rejected} with the block unchanged.
   */
  run(tx: SequencerTransaction): readonly SequencerEvent[] {
    const wasBridge = bridges.has(this.#overlay, tx.signer);
    // Only the authority's transactions change fees, and those may depend on a change they just made.
    const memo = tx.group === 'bundleableSudo' ? undefined : this.#memo;
    // A failed one is in no block, and its nonce stays open.
    const attempt = this.#overlay.child();
    const events = executeTransaction<Action, SequencerEvent>({
      state: attempt,
      handlers,
      tx,
      chainId: this.#chain.id,
      height: this.#block.height,
      time: this.#block.time,
      before: feePayer(tx.actions, memo),
    });
    attempt.apply();
    nonceSpenders.put(this.#overlay, [tx.signer, tx.nonce], { hash: tx.hash, height: this.#block.height });
    if (wasBridge) lastTransactions.put(this.#overlay, tx.signer, tx.hash);
    for (const event of events) this.#note(event);
    this.#noteData(events);
    return events;
  }

  /** Credits the fees and commits to the rollups' data. */
  finish(): ExecutedBlock {
    const receiver = present(sudo, this.#overlay);
    for (const [asset, amount] of this.#fees) credit(this.#overlay, receiver, asset, amount);
    for (const [rollup, deposits] of this.#deposits) append(this.#data, rollup, deposits);
    return {
      overlay: this.#overlay,
      committed: commitRollupData(this.#data),
      validatorUpdates: [...this.#validatorUpdates.values()].filter((update) => this.#isKnown(update)),
      feesChanged: this.#feesChanged,
    };
  }

  /** A validator added and removed within this block was never a validator: an engine refuses to remove it, and halts. */
  #isKnown({ publicKey, power }: ValidatorUpdate): boolean {
    return power > 0n || validators.has(this.#overlay.base, accountIdFromPublicKey(publicKey));
  }

  #note(event: SequencerEvent): void {
    switch (event.kind) {
      case 'fee':
        this.#fees.set(event.asset, (this.#fees.get(event.asset) ?? 0n) + event.amount);
        return;
      case 'deposit':
        // Kept apart until the end: deposits come after all data of their rollup, regardless of their place in the block.
        append(this.#deposits, event.deposit.rollup, [encodeDeposit(event.deposit)]);
        return;
      case 'validatorUpdate':
        // The last one for a key wins, in the place of the first.
        this.#validatorUpdates.set(toHex(event.update.publicKey), event.update);
        return;
      case 'feesChanged':
        this.#feesChanged = true;
        this.#memo.last = undefined;
        return;
      case 'data':
        // With all others of the transaction, in `#noteData`.
        return;
    }
  }

  #noteData(events: readonly SequencerEvent[]): void {
    const byRollup = new Map<RollupId, Uint8Array[]>();
    for (const event of events) if (event.kind === 'data') append(byRollup, event.rollup, [event.data]);
    for (const [rollup, items] of byRollup) append(this.#data, rollup, encodeEachField(SEQUENCED_DATA, items));
  }
}

function append(lists: Map<RollupId, Uint8Array[]>, rollup: RollupId, items: readonly Uint8Array[]): void {
  const list = lists.get(rollup);
  if (list === undefined) lists.set(rollup, [...items]);
  else for (const item of items) list.push(item);
}
