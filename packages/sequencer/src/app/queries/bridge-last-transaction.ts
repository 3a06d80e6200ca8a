import { create, toBinary } from '@bufbuild/protobuf';
import { txHashBytes } from '@switchyard/protocol';
import { bridge as bridgeMessages } from '@switchyard/protocol/gen';
import { lastTransactions } from '../tables/bridge.ts';
import { addressParameter, type QueryRoute } from './route.ts';

/** The last transaction that a bridge account signed while it was one. */
export const bridgeLastTransactionQuery: QueryRoute = {
  path: 'bridge/account_last_tx_hash/{address}',

  answer({ snapshot, height, parameter }) {
    const hash = lastTransactions.get(snapshot, addressParameter(parameter));
    const schema = bridgeMessages.BridgeAccountLastTxHashResponseSchema;
    return toBinary(schema, create(schema, { height, ...(hash !== undefined && { txHash: txHashBytes(hash) }) }));
  },
};
