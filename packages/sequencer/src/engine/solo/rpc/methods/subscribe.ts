import { internalError } from '@switchyard/service';
import type { RpcContext, Subscriber } from '@switchyard/service/json-rpc';
import { METHOD_NOT_FOUND } from '../dialect.ts';
import { EVENTS } from '../events.ts';
import { type Methods, method } from '../method.ts';
import { words } from '../params.ts';
import { exactly } from '../query.ts';
import type { Subscriptions } from '../subscriptions.ts';
import { parsedConditions } from './blocks.ts';

/** Methods of a WebSocket connection. Events come under the id of the call that subscribed to them. */
export function subscribeMethods(subscriptions: Subscriptions): Methods {
  const options = { socketOnly: true };
  return {
    subscribe: method(
      { query: words },
      ({ query }, context, id) => {
        const subscriber = getSubscriber(context);
        const conditions = parsedConditions(query);
        const event = exactly(conditions, 'tm.event');
        if (event !== undefined && !EVENTS.includes(event))
          throw internalError(
            `this node has no events ${event.slice(0, 50)}; those of its kinds are ${EVENTS.join(', ')}`,
          );
        subscriptions.add(subscriber, { text: query, conditions }, id);
        return '{}';
      },
      options,
    ),

    unsubscribe: method(
      { query: words },
      ({ query }, context) => {
        subscriptions.remove(getSubscriber(context), query);
        return '{}';
      },
      options,
    ),

    unsubscribe_all: method(
      {},
      (_, context) => {
        subscriptions.removeAll(getSubscriber(context));
        return '{}';
      },
      options,
    ),
  };
}

function getSubscriber({ subscriber }: RpcContext): Subscriber {
  if (subscriber === undefined) throw METHOD_NOT_FOUND;
  return subscriber;
}
