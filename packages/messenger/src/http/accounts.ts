import { balances, nonces } from '@switchyard/machine';
import { formatAddress } from '@switchyard/protocol';
import { addressParameter, proveState, type RollupNode } from '@switchyard/rollup';
import { type AnyRoute, serve } from '@switchyard/service/api';
import type { MessengerEvent } from '../actions/handler.ts';
import { getAccount } from '../contract.ts';
import { nameOf } from '../tables/asset-names.ts';
import { balancesOf } from '../tables/balances.ts';

const MAX_ASSETS = 1_000;
const MAX_PROVEN_ASSETS = 100;

/** Nonces and balances of one account. */
export const accountRoute = (node: RollupNode<MessengerEvent>): AnyRoute =>
  serve({ ...getAccount, path: { address: addressParameter } }, ({ path: { address: account }, query: { proof } }) => {
    const { snapshot } = node.view;
    const isProven = proof !== undefined;
    const held = balancesOf(snapshot, account, isProven ? MAX_PROVEN_ASSETS : MAX_ASSETS);
    const keys = () => [nonces.storeKey(account), ...held.map(({ asset }) => balances.storeKey([account, asset]))];
    const body = {
      address: formatAddress(account),
      nonce: node.committedNonce(account),
      pendingNonce: node.nextNonce(account),
      balances: held.map(({ asset, amount }) => ({ asset: nameOf(snapshot, asset), amount: String(amount) })),
      ...(isProven && { proof: proveState(node, keys()) }),
    };
    return { status: 200, body };
  });
