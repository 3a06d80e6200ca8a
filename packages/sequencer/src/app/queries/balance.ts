import { create, toBinary } from '@bufbuild/protobuf';
import { balances } from '@switchyard/machine';
import { u128ToWire } from '@switchyard/protocol';
import { accounts } from '@switchyard/protocol/gen';
import { assetName } from '../tables/assets.ts';
import { addressParameter, type QueryRoute } from './route.ts';

/** More assets than an account will ever hold by honest means; a bound on what one query reads. */
const MAX_ASSETS = 10_000;

/** All that an account holds, by name of the asset. An account never seen holds nothing. */
export const balanceQuery: QueryRoute = {
  path: 'accounts/balance/{address}',

  answer({ snapshot, height, parameter }) {
    const account = addressParameter(parameter);
    const rows = [...balances.range(snapshot, { within: `${account}/`, limit: MAX_ASSETS })];
    const held = rows
      .map(([[, asset], amount]) => ({ denom: assetName(snapshot, asset), balance: u128ToWire(amount) }))
      .sort((a, b) => (a.denom < b.denom ? -1 : 1));
    return toBinary(accounts.BalanceResponseSchema, create(accounts.BalanceResponseSchema, { height, balances: held }));
  },
};
