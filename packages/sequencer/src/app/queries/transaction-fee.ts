import { create, toBinary } from '@bufbuild/protobuf';
import type { StateReader } from '@switchyard/machine';
import { type Action, decodeTransactionBody, groupOf, u128ToWire } from '@switchyard/protocol';
import { fees as feeMessages } from '@switchyard/protocol/gen';
import { totalFees } from '../fees.ts';
import { fullNameOf } from '../tables/assets.ts';
import { orProblem, type QueryRoute } from './route.ts';

/** Fees of a transaction, from its unsigned body. */
export const transactionFeeQuery: QueryRoute = {
  path: 'transaction/fee',

  answer({ snapshot, height, data }) {
    const actions = orProblem('badRequest', () => {
      const body = decodeTransactionBody(data);
      groupOf(body.actions);
      return body.actions;
    });
    const message = create(feeMessages.TransactionFeeResponseSchema, { height, fees: feesOf(snapshot, actions) });
    return toBinary(feeMessages.TransactionFeeResponseSchema, message);
  },
};

/** @throws {QueryProblem} for disabled actions and assets that are not known by name. */
export function feesOf(state: StateReader, actions: readonly Action[]) {
  return orProblem('internal', () =>
    [...totalFees(state, actions)].map(([asset, fee]) => ({ asset: fullNameOf(state, asset), fee: u128ToWire(fee) })),
  );
}
