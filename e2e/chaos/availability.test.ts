import { expect, test } from 'vitest';
import { makeAvailability } from './availability.ts';
import { makeHistory } from './history.ts';
import type { ClientRecord, Intent } from './record.ts';

const TEXT: Intent = { kind: 'text', text: 'hello' };
const DEPOSIT: Intent = { kind: 'deposit', to: 'b', asset: 'nria', amount: '1' };

const answered = (id: string, at: number, intent: Intent = TEXT): ClientRecord[] => [
  { kind: 'sent', id, from: 'a', nonce: 0, at: 0, intent },
  { kind: 'answer', id, at, outcome: 'acknowledged' },
];

test('minutes without an acknowledgement count as 0, and a later refusal or deposit is none', () => {
  const refused: ClientRecord[] = [
    { kind: 'sent', id: 'no', from: 'a', nonce: 0, at: 0, intent: TEXT },
    { kind: 'answer', id: 'no', at: 400_000, outcome: 'refused' },
  ];
  const records = [
    ...answered('1', 1_000),
    ...answered('2', 60_999),
    ...answered('3', 190_000),
    ...answered('4', 300_000, DEPOSIT),
    ...refused,
  ];
  const { longestSilence, perMinute } = makeAvailability(makeHistory(records));
  expect(perMinute).toEqual([2, 0, 0, 1]);
  expect(longestSilence).toEqual({ ms: 129_001, from: 59_999 });
});

test('a run in which nothing was acknowledged', () => {
  expect(makeAvailability(makeHistory([]))).toEqual({ longestSilence: { ms: 0, from: 0 }, perMinute: [] });
});
