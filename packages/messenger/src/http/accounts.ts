import { balances, nonces } from '@switchyard/machine';
import { formatAddress } from '@switchyard/protocol';
import { addressParameter, getNames, proveState, type RollupNode } from '@switchyard/rollup/node';
import { type AnyRoute, serve } from '@switchyard/service/api';
import { getAccount } from '../contract.ts';

const MAX_ASSETS = 1_000;
const MAX_PROVEN_ASSETS = 100;

/** Nonces and balances of one account. */
export const accountRoute = (node: RollupNode): AnyRoute =>
  serve({ ...getAccount, path: { address: addressParameter } }, ({ path: { address: account }, query: { proof } }) => {
    const { snapshot } = node.view;
    const getName = getNames(snapshot);
    const isProven = proof !== undefined;
    const limit = isProven ? MAX_PROVEN_ASSETS : MAX_ASSETS;
    const held = [...balances.range(snapshot, { within: `${account}/`, limit })];
    const keys = () => [nonces.storeKey(account), ...held.map(([key]) => balances.storeKey(key))];
    const body = {
      address: formatAddress(account),
      nonce: node.committedNonce(account),
      pendingNonce: node.nextNonce(account),
      balances: held.map(([[, asset], amount]) => ({ asset: getName(asset), amount: String(amount) })),
      ...(isProven && { proof: proveState(node, keys()) }),
    };
    return { status: 200, body };
  });
