import { RPC } from '@switchyard/service';
import { bool, Input, list } from '@switchyard/service/input';
import type { Subscriber } from '@switchyard/service/json-rpc';
import { limitExceeded, rpcError, serverError } from '../json/errors.ts';
import { getObject, hash, readParams, text } from '../json/params.ts';
import type { RpcBounds, RpcDeps, RpcMethods } from './deps.ts';
import { randomId } from './filters.ts';
import { logFilter } from './log-query.ts';
import { computeWeight, type Interest, Subscriptions } from './subscriptions.ts';

/** `eth_subscribe` and its end, on connections that can be notified. */
export function subscriptionMethods({
  chain,
  pool,
  bounds,
  newId = randomId,
}: Pick<RpcDeps, 'chain' | 'pool' | 'newId'> & { readonly bounds: RpcBounds }): RpcMethods {
  const subscriptions = new Subscriptions({ chain, pool });
  return {
    eth_subscribe(params, context) {
      const connection = notified(context.subscriber);
      const interest = getInterest(params);
      if (subscriptions.computeCount(connection) >= bounds.maxSubscriptionsPerConnection)
        throw limitExceeded(`more than ${bounds.maxSubscriptionsPerConnection} subscriptions on one connection`);
      const terms = computeWeight(interest);
      if (terms > 0 && subscriptions.getTerms(connection) + terms > bounds.maxTermsPerConnection)
        throw limitExceeded(`subscriptions on one connection name at most ${bounds.maxTermsPerConnection} values`);
      // An address may have as many as are left for others.
      const left = bounds.maxFilterTerms - subscriptions.getTerms();
      if (terms > 0 && subscriptions.termsOfPeer(connection.peer) + terms > left)
        throw limitExceeded('the subscriptions of all connections name too many values; try again later');
      const id = newId();
      const { begin } = subscriptions.add(id, interest, connection);
      context.afterAnswer(begin);
      return id;
    },

    eth_unsubscribe(params, { subscriber }) {
      const [id] = readParams(params, [name]);
      if (subscriptions.remove(id, notified(subscriber))) return true;
      throw serverError('subscription not found');
    },
  };
}

function notified(subscriber: Subscriber | undefined): Subscriber {
  if (subscriber !== undefined) return subscriber;
  throw rpcError(RPC.methodNotFound, 'notifications not supported');
}

const anything = (value: unknown): unknown => value;
const name = text(64);

const ANY_LOG = logFilter(new Input({}, ''));

function getInterest(params: unknown): Interest {
  const [kind] = readParams(params, [name], [anything]);
  switch (kind) {
    case 'newHeads':
    case 'syncing':
      readParams(params, [name]);
      return { kind };
    case 'logs': {
      const [, filter = ANY_LOG] = readParams(params, [name], [logFilter]);
      return { kind, filter };
    }
    case 'newPendingTransactions': {
      const [, full = false] = readParams(params, [name], [bool]);
      return { kind, full };
    }
    case 'transactionReceipts': {
      const [, wanted = {}] = readParams(params, [name], [receiptsWanted]);
      return { kind, hashes: wanted.transactionHashes ?? [] };
    }
    default:
      throw rpcError(RPC.methodNotFound, `no ${JSON.stringify(kind)} subscription in eth namespace`);
  }
}

/** go-ethereum's limit on transaction hashes of one subscription. */
const MAX_HASHES = 200;
const receiptsWanted = getObject({ transactionHashes: list(hash, MAX_HASHES) });
