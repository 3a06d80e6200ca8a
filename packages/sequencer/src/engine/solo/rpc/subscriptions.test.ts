import { memoryLogger } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import type { Subscriber } from './method.ts';
import { parseQuery } from './query.ts';
import { type ChainEvent, Subscriptions } from './subscriptions.ts';

const { log } = memoryLogger();

function newSubscriber(buffered = 0): Subscriber & { buffered: number; readonly got: string[] } {
  const got: string[] = [];
  return {
    got,
    buffered,
    send: (pieces) => void got.push(pieces.map((piece) => Buffer.from(piece).toString()).join('')),
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
  const subscriptions = new Subscriptions(log);
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
  const subscriptions = new Subscriptions(log);
  subscriptions.add(newSubscriber(), parseQuery("tm.event='NewBlock'"), 1);
  const event = newEvent({ 'tm.event': 'Tx' });
  subscriptions.publish(event);
  expect(event.rendered).toBe(0);
});

test('a client that does not read gets one error and nothing more; others are not affected', () => {
  const subscriptions = new Subscriptions(log);
  const [slow, quick] = [newSubscriber(), newSubscriber()];
  for (const each of [slow, quick]) subscriptions.add(each, parseQuery("tm.event='Tx'"), 3);
  slow.buffered = 100 * 1024 * 1024;
  for (let count = 0; count < 3; count += 1) subscriptions.publish(newEvent({ 'tm.event': 'Tx' }));
  expect(slow.got).toHaveLength(1);
  expect(JSON.parse(slow.got[0] ?? '')).toMatchObject({
    id: 3,
    error: { data: 'subscription was canceled (reason: client is not pulling messages fast enough)' },
  });
  expect(quick.got).toHaveLength(3);
});

test('many who lag a little are cut off when together it is too much', () => {
  const subscriptions = new Subscriptions(log);
  const all = Array.from({ length: 10 }, () => newSubscriber());
  for (const each of all) subscriptions.add(each, parseQuery("tm.event='Tx'"), 3);
  const [honest] = all;
  for (const each of all) each.buffered = each === honest ? 1_024 : 20 * 1024 * 1024;
  subscriptions.publish(newEvent({ 'tm.event': 'Tx' }));
  const cut = all.filter(({ got }) => got.some((each) => each.includes('error')));
  expect(cut.length).toBeGreaterThan(0);
  expect(cut.length).toBeLessThan(10);
  expect(cut).not.toContain(honest);
});
