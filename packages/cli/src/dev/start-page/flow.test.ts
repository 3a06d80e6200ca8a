import { expect, test } from 'vitest';
import type { RollupFacts } from '../status/facts.ts';
import type { Journey } from '../status/journey.ts';
import { TRANSACTION_STATES } from '../status/network.ts';
import { NO_FACTS } from '../status/transactions.ts';
import { toFlow } from './flow.ts';

const CHAT: RollupFacts = { id: 'r', name: 'chat', height: 8, firm: 6, lag: 0 };
const journey = (more: Partial<Journey> = {}): Journey => ({ hash: 'aa', rollup: 'r', queuedAt: 5, ...more });
const sequenced = { at: 7, height: 40 };
const last = (more: Partial<Journey>) => toFlow({ ...NO_FACTS, rollups: [CHAT], path: [journey(more)] }).last;

test('the newest transaction is followed from the queue to a firm block', () => {
  const getState = (more: Partial<Journey>) => last(more)?.state;
  const states = [
    getState({}),
    getState({ bundledAt: 6 }),
    getState({ sequenced }),
    getState({ sequenced, executed: { at: 8, block: 7 } }),
    getState({ sequenced, executed: { at: 8, block: 6 } }),
    getState({ sequenced, outcome: { hash: '0x1', end: { kind: 'reverted' } } }),
    getState({ refused: { at: 6, reason: 'no' } }),
    getState({ sequenced, outcome: { hash: '0x1', end: { kind: 'skipped', why: 'replaced by 0x2' } } }),
    getState({ sequenced, outcome: { hash: '0x1', end: { kind: 'skipped', why: 'a nonce' } } }),
  ];
  expect(states).toEqual(TRANSACTION_STATES);
});

test('it has the hash of its users, that of the composer, and why it is in no block', () => {
  const end = { kind: 'skipped', why: 'refused: no funds' } as const;
  expect(last({ outcome: { hash: '0x1', end } })).toMatchObject({
    ...{ hash: '0x1', submission: 'aa', state: 'refused', why: 'no funds' },
  });
  expect(toFlow({ ...NO_FACTS, queued: 3, path: [journey({ hash: 'bb' }), journey()] })).toMatchObject({
    ...{ queued: 3, rollups: [], last: { hash: 'bb', submission: 'bb', state: 'queued' } },
  });
  expect(toFlow(NO_FACTS).last).toBeUndefined();
});
