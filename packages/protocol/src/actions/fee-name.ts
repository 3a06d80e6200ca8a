import type { FeeChange } from '../gen/astria/protocol/transaction/v1/transaction_pb.ts';
import type { ActionKind } from './definition.ts';

/** How fee changes, genesis files and price lists name the fee of an action. */
export type FeeName = NonNullable<FeeChange['feeComponents']['case']>;

/*
 * Fees are named after their actions, except that of relaying, which is named after the message it carries. The return
 * types make the two unions of the wire match: a kind without fee components does not compile, nor a fee without a kind.
 */

export function getFeeName(action: ActionKind): FeeName {
  return action === 'ibc' ? 'ibcRelay' : action;
}

export function actionOfFee(name: FeeName): ActionKind {
  return name === 'ibcRelay' ? 'ibc' : name;
}
