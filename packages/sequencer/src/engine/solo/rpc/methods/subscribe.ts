import type { RpcContext, Subscriber } from '@switchyard/service/json-rpc';
import { METHOD_NOT_FOUND } from '../dialect.ts';
import { type Methods, method } from '../method.ts';
import { words } from '../params.ts';
import type { Subscriptions } from '../subscriptions.ts';
import { parsedConditions } from './blocks.ts';

/** Methods of a WebSocket connection. Events come under the id of the call that subscribed to them. */
export function subscribeMethods(subscriptions: Subscriptions): Methods {
  const options = { socketOnly: true };
  return {
    subscribe: method(
      { query: words },
      ({ query }, context, id) => {
        subscriptions.add(subscriberOf(context), { text: query, conditions: parsedConditions(query) }, id);
        return '{}';
      },
      options,
    ),

    unsubscribe: method(
      { query: words },
      ({ query }, context) => {
        subscriptions.remove(subscriberOf(context), query);
        return '{}';
      },
      options,
    ),

    unsubscribe_all: method(
      {},
      (_, context) => {
        subscriptions.removeAll(subscriberOf(context));
        return '{}';
      },
      options,
    ),
  };
}

function subscriberOf({ subscriber }: RpcContext): Subscriber {
  if (subscriber === undefined) throw METHOD_NOT_FOUND;
  return subscriber;
}
