import { failed } from '../json-rpc.ts';
import { type Caller, type Methods, method, type Subscriber } from '../method.ts';
import { words } from '../params.ts';
import type { Subscriptions } from '../subscriptions.ts';
import { parsedConditions } from './blocks.ts';

/** Methods of a WebSocket connection. Events come under the id of the call that subscribed to them. */
export function subscribeMethods(subscriptions: Subscriptions): Methods {
  const options = { socketOnly: true };
  return {
    subscribe: method(
      { query: words },
      ({ query }, caller) => {
        const { subscriber, id } = subscribing(caller);
        subscriptions.add(subscriber, { text: query, conditions: parsedConditions(query) }, id);
        return '{}';
      },
      options,
    ),

    unsubscribe: method(
      { query: words },
      ({ query }, caller) => {
        subscriptions.remove(subscribing(caller).subscriber, query);
        return '{}';
      },
      options,
    ),

    unsubscribe_all: method(
      {},
      (_, caller) => {
        if (!subscriptions.removeAll(subscribing(caller).subscriber)) throw failed('subscription not found');
        return '{}';
      },
      options,
    ),
  };
}

function subscribing({ subscriber, id }: Caller): { readonly subscriber: Subscriber; readonly id: string | number } {
  // Such methods are called over a WebSocket only, and requests there have ids.
  if (subscriber === undefined || id === undefined) throw failed('only over a WebSocket');
  return { subscriber, id };
}
