import { create, toBinary } from '@bufbuild/protobuf';
import { type AccountId, formatAddress, rollupIdBytes } from '@switchyard/protocol';
import { bridge as bridgeMessages } from '@switchyard/protocol/gen';
import { fullNameOf } from '../tables/assets.ts';
import { bridges } from '../tables/bridge.ts';
import { chainPrefix } from '../tables/chain.ts';
import { addressParameter, orProblem, type QueryRoute } from './route.ts';

/** A bridge account's purpose and the keys it obeys. For any other account only the height is set. */
export const bridgeAccountInfoQuery: QueryRoute = {
  path: 'bridge/account_info/{address}',

  answer({ snapshot, height, parameter }) {
    const row = bridges.get(snapshot, addressParameter(parameter));
    const schema = bridgeMessages.BridgeAccountInfoResponseSchema;
    if (row === undefined) return toBinary(schema, create(schema, { height }));
    const prefix = chainPrefix(snapshot);
    const address = (account: AccountId) => ({ bech32m: formatAddress(account, prefix) });
    const message = create(schema, {
      height,
      rollupId: { inner: rollupIdBytes(row.rollup) },
      asset: orProblem('internal', () => fullNameOf(snapshot, row.asset)),
      sudoAddress: address(row.sudo),
      withdrawerAddress: address(row.withdrawer),
    });
    return toBinary(schema, message);
  },
};
