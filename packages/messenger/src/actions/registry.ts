import type { MessengerGenesis } from '../genesis.ts';
import type { ActionKind, MessengerAction } from '../wire/registry.ts';
import type { MessengerHandler } from './handler.ts';
import { sendText } from './send-text.ts';
import { transferHandler } from './transfer.ts';
import { withdrawHandler } from './withdraw.ts';

export type MessengerHandlers = { readonly [K in ActionKind]: MessengerHandler<K> };

/** One handler for every kind of action: a new kind does not compile until it has one. */
export function messengerHandlers(genesis: MessengerGenesis): MessengerHandlers {
  return {
    transfer: transferHandler,
    sendText: sendText(genesis),
    withdraw: withdrawHandler(genesis),
  };
}

/** The handler of an action. */
export function handlerFor(handlers: MessengerHandlers, action: MessengerAction): MessengerHandler<ActionKind> {
  // The registry pairs each kind with its own handler, which TypeScript cannot follow through the index.
  return handlers[action.kind] as unknown as MessengerHandler<ActionKind>;
}
