import type { ActionHandler } from '@switchyard/machine';
import type { AccountId, AssetId } from '@switchyard/protocol';
import type { Spend } from '@switchyard/rollup';
import type { ActionKind, ActionOf } from '../wire/registry.ts';

export interface TextPosted {
  readonly kind: 'text';
  readonly name: string;
  readonly text: string;
}

export interface Transferred {
  readonly kind: 'transfer';
  readonly to: AccountId;
  readonly asset: AssetId;
  readonly amount: bigint;
}

/** An amount left the rollup, to an account of the sequencer. */
export interface Withdrawn {
  readonly kind: 'withdrawal';
  readonly to: AccountId;
  readonly asset: AssetId;
  readonly amount: bigint;
}

/** Events of executed transactions. */
export type MessengerEvent = TextPosted | Transferred | Withdrawn;

/** Rules of the messenger for one kind of action. */
export interface MessengerHandler<K extends ActionKind> extends ActionHandler<ActionOf<K>, MessengerEvent> {
  /** Amounts that the action takes from its signer, so that the intake can refuse what cannot be paid. */
  spends(action: ActionOf<K>): readonly Spend[];
}
