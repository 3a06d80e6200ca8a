import type { ReplayReport, ReplayStep } from '@switchyard/client';
import { expect, test } from 'vitest';
import { differenceFromStored, findDifference } from './replay.ts';

const step = (changes: Partial<ReplayStep> = {}): ReplayStep => ({
  kind: 'pay',
  events: ['{"paid":1}'],
  writes: [
    { key: 'a', value: '01' },
    { key: 'b', value: undefined },
  ],
  refused: undefined,
  ...changes,
});

const block = (changes: Partial<ReplayReport> = {}, ...actions: readonly ReplayStep[]): ReplayReport => ({
  number: 7n,
  sequencerHeight: 17n,
  hash: 'h1',
  stateRoot: 'r1',
  deposits: [],
  transactions: [{ hash: 'tx', code: '0', refused: undefined, actions: actions.length === 0 ? [step()] : actions }],
  stored: { hash: 'h1', stateRoot: 'r1', codes: ['0'] },
  inputs: 'same',
  ...changes,
});

test.each<[string, ReplayReport, string | undefined]>([
  ['the same', block(), undefined],
  [
    'another value',
    block({}, step({ writes: [{ key: 'a', value: '02' }] })),
    'action 0 (pay): write 0, to a, is 02, and was 01',
  ],
  [
    'another key',
    block({}, step({ writes: [{ key: 'c', value: '01' }] })),
    'action 0 (pay): write 0 is to c, and was to a',
  ],
  [
    'a write less',
    block({}, step({ writes: [{ key: 'a', value: '01' }] })),
    'action 0 (pay): write 1, to b, is absent, and was deleted',
  ],
  ['another event', block({}, step({ events: [] })), 'action 0 (pay): event 0 is absent, and was {"paid":1}'],
  ['a refusal', block({}, step({ refused: 'no' })), 'action 0 (pay): refused (no), and was executed'],
  ['one action more', block({}, step(), step()), 'action 1 (pay): pay is executed, and was not'],
  [
    'a refusal before the actions',
    block({ transactions: [{ hash: 'tx', code: '9', refused: 'nonce', actions: [step()] }] }),
    'before its actions: refused (code 9: nonce), and was executed',
  ],
])('names the first action of other code that differs: %s', (_, other, line) => {
  expect(findDifference(block(), other)).toBe(line && `block 7, transaction 0 (tx), ${line}`);
});

test('names a deposit, and a state for which no action is at fault', () => {
  expect(findDifference(block({ deposits: [step()] }), block({ deposits: [step({ refused: 'no' })] }))).toBe(
    'block 7, deposit 0: refused (no), and was executed',
  );
  expect(findDifference(block(), block({ stateRoot: 'r2', hash: 'h2' }))).toBe(
    'block 7: the state root is r2, and was r1: nothing that an action did differs',
  );
});

test.each<[string, Partial<ReplayReport>, string | undefined]>([
  ['the same', {}, undefined],
  ['nothing stored', { stored: undefined, hash: 'other' }, undefined],
  ['other data', { inputs: 'other' }, 'the sequencer has other data than the block was made from'],
  ['another root', { stateRoot: 'r2' }, 'the state root is r2, and was r1'],
  ['another hash', { hash: 'h2' }, 'the hash is h2, and was h1'],
])('compares with what is stored: %s', (_, changes, line) => {
  expect(differenceFromStored(block(changes))).toBe(line && `block 7: ${line}`);
});

test('an outcome that is not the stored one names the action that was refused', () => {
  const refused = block({
    transactions: [{ hash: 'tx', code: '9', refused: 'no money', actions: [step(), step({ refused: 'no money' })] }],
  });
  expect(differenceFromStored(refused)).toBe(
    'block 7, transaction 0 (tx), action 1: refused (code 9: no money), and was executed',
  );
});
