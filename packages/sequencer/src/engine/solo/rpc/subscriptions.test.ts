import type { Subscriber } from '@switchyard/service/json-rpc';
import { expect, test } from 'vitest';
import { parseQuery } from './query.ts';
import { type ChainEvent, Subscriptions } from './subscriptions.ts';

function newSubscriber(peer = 'a'): Subscriber & { readonly got: string[] } {
  const got: string[] = [];
  return {
    got,
    peer,
    notify: (...pieces) => void got.push(pieces.map((piece) => Buffer.from(piece).toString()).join('')),
    send: () => undefined,
    close: () => undefined,
    onEnd: () => undefined,
  };
}

/** An event that counts how often it was rendered. */
function newEvent(keys: Record<string, string>, more: Record<string, string> = {}) {
  const entries = (each: Record<string, string>) => Object.entries(each).map(([key, value]) => [key, [value]] as const);
  const event = {
    rendered: 0,
    keys: new Map(entries(keys)),
    allKeys: () => new Map(entries({ ...keys, ...more })),
    events: () => Buffer.from(JSON.stringify(Object.fromEntries(entries({ ...keys, ...more })))),
    data: () => {
      event.rendered += 1;
      return Buffer.from('{"type":"t"}');
    },
  } satisfies ChainEvent & { rendered: number };
  return event;
}

test('an event goes to those whose query it matches, under the id of their call', () => {
  const subscriptions = new Subscriptions();
  const [blocks, some] = [newSubscriber(), newSubscriber()];
  subscriptions.add(blocks, parseQuery("tm.event='NewBlock'"), 7);
  subscriptions.add(some, parseQuery("tm.event='Tx' AND set.key='city'"), 'x');
  subscriptions.publish(newEvent({ 'tm.event': 'Tx', 'tx.height': '5' }, { 'set.key': 'city' }));
  subscriptions.publish(newEvent({ 'tm.event': 'Tx', 'tx.height': '6' }, { 'set.key': 'town' }));
  expect(blocks.got).toEqual([]);
  expect(some.got.map((each) => JSON.parse(each))).toEqual([
    {
      jsonrpc: '2.0',
      id: 'x',
      result: {
        query: "tm.event='Tx' AND set.key='city'",
        data: { type: 't' },
        events: { 'tm.event': ['Tx'], 'tx.height': ['5'], 'set.key': ['city'] },
      },
    },
  ]);
});

test('an event that matches no subscription is not rendered', () => {
  const subscriptions = new Subscriptions();
  subscriptions.add(newSubscriber(), parseQuery("tm.event='NewBlock'"), 1);
  const event = newEvent({ 'tm.event': 'Tx' });
  subscriptions.publish(event);
  expect(event.rendered).toBe(0);
});

// Defect: One address could be all subscribers of the solo RPC
test('one address cannot be all subscribers', () => {
  const subscriptions = new Subscriptions();
  const subscribe = (peer: string) => subscriptions.add(newSubscriber(peer), parseQuery("tm.event='Tx'"), 1);
  for (let count = 0; count < 50; count += 1) subscribe('a');
  expect(() => subscribe('a')).toThrow('max_subscription_clients');
  subscribe('b');
});

test('a client that does not read gets one error for each subscription and nothing more; others are not affected', () => {
  const subscriptions = new Subscriptions();
  const [slow, quick] = [newSubscriber(), newSubscriber()];
  for (const each of [slow, quick]) subscriptions.add(each, parseQuery("tm.event='Tx'"), 3);
  const sent = subscriptions.cancel(slow);
  expect(sent.map((each) => JSON.parse(each))).toEqual([
    {
      jsonrpc: '2.0',
      id: 3,
      error: {
        code: -32_603,
        message: 'Internal error',
        data: 'subscription was canceled (reason: client is not pulling messages fast enough)',
      },
    },
  ]);
  for (let count = 0; count < 3; count += 1) subscriptions.publish(newEvent({ 'tm.event': 'Tx' }));
  expect([slow.got.length, quick.got.length]).toEqual([0, 3]);
});
