import type { ActionContext, ActionHandler, StateReader } from '@switchyard/machine';
import {
  type AccountId,
  type ActionKind,
  type ActionOf,
  type AssetId,
  type Deposit,
  Rejected,
  type RollupId,
} from '@switchyard/protocol';
import type { Charge } from '../../mempool/entry.ts';
import type { ValidatorUpdate } from '../types.ts';

/** An effect of a transaction, for the block and for observers. */
export type SequencerEvent =
  | {
      readonly kind: 'fee';
      readonly action: ActionKind;
      readonly asset: AssetId;
      readonly amount: bigint;
      /** Position of the action in its transaction. */
      readonly position: number;
    }
  | { readonly kind: 'data'; readonly rollup: RollupId; readonly data: Uint8Array }
  | { readonly kind: 'deposit'; readonly deposit: Deposit }
  | { readonly kind: 'validatorUpdate'; readonly update: ValidatorUpdate }
  /** Costs of waiting transactions must be computed again. */
  | { readonly kind: 'feesChanged' };

export type Context = ActionContext<SequencerEvent>;

/** The state and signer of the question "may this signer do this now". */
export interface CheckContext {
  readonly state: StateReader;
  readonly signer: AccountId;
}

/** The sequencer's handling of one kind of action. */
export interface SequencerHandler<K extends ActionKind> extends ActionHandler<ActionOf<K>, SequencerEvent> {
  /** Refuses actions that the state forbids, money aside. Asked at intake about committed state, and again before executing. */
  verify(action: ActionOf<K>, context: CheckContext): void;
  /** Amounts that the action takes besides its fee, and from which accounts. */
  charges(action: ActionOf<K>, context: CheckContext): readonly Charge[];
  /** Factor that the multiplier of the action's fee is applied to. */
  feeUnits(action: ActionOf<K>): bigint;
}

interface Parts<A> {
  /** Checks that need no state. */
  readonly check?: (action: A) => void;
  readonly verify: (action: A, context: CheckContext) => void;
  readonly charges?: (action: A, context: CheckContext) => readonly Charge[];
  /** 0 for actions whose fee does not depend on their size. */
  readonly feeUnits?: (action: A) => bigint;
  /** Runs after `verify` on the same state, and still refuses before it writes. */
  readonly apply: (action: A, context: Context) => void;
}

const NOTHING: readonly Charge[] = [];

/** Makes it impossible to execute an action that was not verified on the state it changes. */
export function sequencerHandler<K extends ActionKind>({
  check,
  verify,
  charges,
  feeUnits,
  apply,
}: Parts<ActionOf<K>>): SequencerHandler<K> {
  return {
    check: (action) => check?.(action),
    verify,
    charges: charges ?? (() => NOTHING),
    feeUnits: feeUnits ?? (() => 0n),
    execute(action, context) {
      verify(action, context);
      apply(action, context);
    },
  };
}

/** @throws {Rejected} `malformed`, for a text of fewer or more bytes. */
export function mustHaveBytes(field: string, text: string, most: number, least = 0): void {
  const length = Buffer.byteLength(text);
  if (length >= least && length <= most) return;
  const expected = least === 0 ? `at most ${most} bytes` : `${least} to ${most} bytes`;
  throw new Rejected('malformed', { field, expected, got: `${length} bytes` });
}
