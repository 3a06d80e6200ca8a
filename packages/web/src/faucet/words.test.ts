import { expect, test } from 'vitest';
import { type Claim, type Info, shown } from './api.ts';
import { obstacle, outcome, progress, rule, sentence, title, transactionUrl } from './words.ts';

const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const info = (part: Partial<Info>): Info => ({
  ...{ account: '', network: 'n', payout: '0.5', kind: 'evm', developmentKey: false, symbol: 'ETH', minutes: 0 },
  ...{ clientClaims: 1, waiting: 0, queueCap: 1, state: 'ready' },
  ...part,
});
const claim = (part: Partial<Claim>): Claim => ({
  ...{ id: 1, address: ADDRESS, amount: '0.5', symbol: 'ETH', state: 'queued', at: '2026-01-01T00:00:00Z' },
  ...part,
});

test.each([
  ['no limit', info({ minutes: 0 }), '0.5 ETH per claim. You may claim as often as you like.'],
  [
    'hours',
    info({ minutes: 1_440, clientClaims: 5 }),
    '0.5 ETH per claim. One claim for each address every 24 hours, and at most 5 claims from your network address.',
  ],
  [
    'one minute',
    info({ minutes: 1, clientClaims: 1 }),
    '0.5 ETH per claim. One claim for each address every minute, and at most 1 claim from your network address.',
  ],
])('states the rule: %s', (_, given, expected) => {
  expect(rule(given)).toBe(expected);
});

test.each([
  [info({ state: 'ready' }), ''],
  [info({ state: 'absent', problem: 'x' }), 'The node does not answer. Claims are taken, and paid when it is back.'],
  [
    info({ state: 'empty', problem: 'the faucet is empty: send some to 0x1' }),
    'The faucet is empty: send some to 0x1.',
  ],
  [info({ state: 'unusable', problem: 'the node is of chain 5' }), 'The node is of chain 5.'],
])('names what is in the way', (given, expected) => {
  expect(obstacle(given)).toBe(expected);
});

test.each([
  [claim({ state: 'queued' }), 'In the queue. It is sent in a moment.'],
  [claim({ state: 'queued', ahead: 1 }), 'In the queue behind 1 other claim. It is sent in a moment.'],
  [
    claim({ state: 'queued', ahead: 2, note: 'the node does not answer' }),
    'In the queue behind 2 other claims. The node does not answer.',
  ],
  [claim({ state: 'sent' }), `Sent 0.5 ETH to ${ADDRESS}. Waiting for its block.`],
  [claim({ state: 'paid', block: 12n }), `Paid 0.5 ETH to ${ADDRESS} in block 12.`],
  [claim({ state: 'failed', reason: 'the code refuses it' }), 'Not paid: the code refuses it.'],
])('shows how far a claim is', (given, expected) => {
  expect(progress(given)).toBe(expected);
});

test('lists what became of claims', () => {
  const states = (['queued', 'sent', 'paid', 'failed'] as const).map((state) =>
    outcome(claim({ state, block: 7n, reason: 'no' })),
  );
  expect(states).toEqual(['in the queue', 'sent, waiting for its block', 'paid in block 7', 'not paid: no']);
});

test.each([
  [{ network: 'unknown' }, 'Faucet'],
  [{}, 'Faucet'],
  [{ network: '1337', chainId: '1337' }, 'Faucet of chain 1337'],
  [{ network: 'flame', chainId: '1337' }, 'Faucet of flame'],
])('is called after its network: %j', (given, expected) => {
  expect(title(given)).toBe(expected);
});

test('makes sentences of messages', () => {
  expect([sentence('so it is'), sentence('Done.'), sentence('')]).toEqual(['So it is.', 'Done.', '']);
});

test.each([
  ['sequencer', undefined, 'ab', 'http://x/#/transactions/ab'],
  ['evm', 'evm', '0xab', 'http://x/#/rollups/evm/evm/transactions/0xab'],
  ['evm', undefined, '0xab', undefined],
  ['messenger', 'chat 1', 'ab', 'http://x/#/rollups/chat%201/transactions/ab'],
  ['messenger', 'chat', undefined, undefined],
] as const)('links a transaction of the %s', (kind, rollup, hash, expected) => {
  expect(transactionUrl({ explorerUrl: 'http://x/', kind, rollup }, hash)).toBe(expected);
  expect(transactionUrl({ kind, rollup }, hash)).toBeUndefined();
});

// Defect: the page of the faucet showed reasons of strangers' contracts with hidden characters
test('nothing is hidden in the reason that a contract of a stranger gives', () => {
  const { reason } = shown(claim({ reason: 'a\u202eb\n\u200b' }));
  expect(reason).toBe('a\\u{202e}b\\u{a}\\u{200b}');
});
