import { expect, test } from 'vitest';
import { actionSentence } from './actions.ts';
import type { Part } from './sentence.ts';

const places = {
  account: (address: string) => `/accounts/${address}`,
  rollupName: (id: string) => (id === 'aa' ? 'chat' : undefined),
};

/** A sentence as read, with the pages that it leads to. */
const read = (parts: readonly Part[]) => ({
  text: parts
    .map((part) =>
      typeof part === 'string' ? part : part.kind === 'paid' ? `${part.units} of ${part.bridge}` : part.text,
    )
    .join(''),
  pages: parts.flatMap((part) => (typeof part !== 'string' && 'to' in part && part.to !== undefined ? [part.to] : [])),
});
const tell = (actions: readonly unknown[], more = {}) =>
  read(actionSentence({ signer: 'alice', actions, isDone: true, ...more }, places));

test.each([
  [{ kind: 'transfer', to: 'bob', amount: '5000000000', asset: 'nria' }, 'alice sent 5 RIA to bob', ['/accounts/bob']],
  [{ kind: 'sendText', text: 'hello', name: 'al' }, 'alice wrote hello as al', []],
  [
    { kind: 'withdraw', to: 'bob', amount: '7', asset: 'x' },
    'alice withdrew 7 x to bob on the sequencer',
    ['/accounts/bob'],
  ],
  [
    { kind: 'bridgeLock', to: 'bridge', amount: '7', asset: 'x', destination: '0x12' },
    'alice deposited 7 x for 0x12 through the bridge account bridge',
    ['/bridges/bridge'],
  ],
  [
    { kind: 'bridgeUnlock', to: 'bob', amount: '7', bridge: 'bridge' },
    'alice paid 7 of bridge to bob for a withdrawal, from bridge',
    ['/accounts/bob', '/bridges/bridge'],
  ],
  [{ kind: 'initBridgeAccount', rollup: 'aa' }, 'alice became a bridge account of chat', ['/rollups/aa']],
  [{ kind: 'feeChange' }, 'alice carried out a fee change', []],
  [{ kind: 'ibcSudoChange' }, 'alice carried out an ibc sudo change', []],
  [{}, 'alice carried out a ', []],
])('one action is one sentence: %o', (action, text, pages) => {
  expect(tell([action])).toEqual({ text, pages: ['/accounts/alice', ...pages] });
});

test('an amount or a kind that is not of our form is shown as it is, and no member of an object is called', () => {
  expect(tell([{ kind: 'transfer', to: 'bob', amount: '-1', asset: 'x' }]).text).toBe('alice sent -1 x to bob');
  expect(tell([{ kind: 'toString' }, 5]).text).toBe('alice carried out a to string and carried out a ');
});

test('submissions of a bundle are counted by their rollups', () => {
  const data = (rollup: string) => ({ kind: 'rollupDataSubmission', rollup, hash: 'ff', bytes: 600 });
  expect(tell([data('aa')])).toEqual({
    text: 'alice submitted a transaction to chat, 600 B',
    pages: ['/accounts/alice', '/rollups/aa/transactions/ff', '/rollups/aa'],
  });
  expect(tell([data('aa'), data('bb'), data('aa')]).text).toBe('alice submitted 3 transactions to chat and bb, 1.8 kB');
  expect(tell([data('aa')], { actionCount: 65 }).text).toBe('alice submitted 65 transactions to chat');
});

test('of many actions the first are named and the others counted; what was refused was tried', () => {
  const transfer = { kind: 'transfer', to: 'bob', amount: '1', asset: 'x' };
  expect(tell([transfer, transfer]).text).toBe('alice sent 1 x to bob and sent 1 x to bob');
  expect(tell([transfer, transfer, transfer, transfer], { actionCount: 70 }).text).toBe(
    'alice sent 1 x to bob, sent 1 x to bob, sent 1 x to bob and 67 more actions',
  );
  expect(tell([transfer], { isDone: false }).text).toBe('alice tried to send 1 x to bob');
  expect(tell([transfer], { signer: null }).text).toBe('An unknown account sent 1 x to bob');
});
