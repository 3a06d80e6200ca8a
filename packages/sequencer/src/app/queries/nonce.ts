import { create, toBinary } from '@bufbuild/protobuf';
import { nonces } from '@switchyard/machine';
import { accounts } from '@switchyard/protocol/gen';
import { addressParameter, type QueryRoute } from './route.ts';

/** How many transactions of an account were executed: its next nonce, unless some are waiting. */
export const nonceQuery: QueryRoute = {
  path: 'accounts/nonce/{address}',

  answer({ snapshot, height, parameter }) {
    const nonce = nonces.get(snapshot, addressParameter(parameter));
    return toBinary(accounts.NonceResponseSchema, create(accounts.NonceResponseSchema, { height, nonce }));
  },
};
