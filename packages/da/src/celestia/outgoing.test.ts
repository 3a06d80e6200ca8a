import type { CelestiaAccount } from '@switchyard/protocol/celestia';
import { expect, test } from 'vitest';
import type { TxStatus } from './consensus-node.ts';
import { afterSending, nextSequence, type Outgoing, type Taken, takenBy, toOutcome } from './outgoing.ts';

const outgoing = (given: Partial<Outgoing> = {}): Outgoing => ({
  payer: 'ab'.repeat(20) as CelestiaAccount,
  sequence: 5n,
  lastHeight: 100n,
  mayBeOut: false,
  refusal: undefined,
  usedAt: undefined,
  ...given,
});
const seen = (status: TxStatus['status'], given: { sequence?: bigint; head?: bigint } = {}) => ({
  sequence: 5n,
  head: 90n,
  ...given,
  status: { status, height: status === 'COMMITTED' ? 88n : 0n },
});

test.each([
  ['the next of the account, without own ones', 5n, [], 5n],
  ['the one after own ones that wait', 5n, [outgoing({ sequence: 5n }), outgoing({ sequence: 6n })], 7n],
  ['one that is free again', 5n, [outgoing({ sequence: 6n })], 5n],
  ['that of one that was not taken', 5n, [outgoing({ sequence: 5n, refusal: 'fee' })], 5n],
  ['none that blocks have', 8n, [outgoing({ sequence: 5n })], 8n],
])('a new transaction gets %s', (_, committed, waiting, expected) => {
  expect(nextSequence(committed, waiting)).toBe(expected);
});

test.each([
  [0, '', { kind: 'taken' }],
  [19, 'tx already in mempool cache', { kind: 'taken' }],
  [undefined, 'tx already exists in mempool', { kind: 'taken' }],
  [32, 'account sequence mismatch, expected 23, got 22: incorrect account sequence', { kind: 'unclear' }],
  [30, 'tx timeout height', { kind: 'unclear' }],
  [20, 'mempool is full', { kind: 'busy' }],
  [undefined, 'mempool is full: number of txs', { kind: 'busy' }],
  [undefined, 'rpc error: connection refused', { kind: 'busy' }],
  [undefined, 'codespace blob code 11116: invalid commitment for share', { kind: 'refused' }],
  [21, 'tx too large', { kind: 'refused' }],
  [13, 'got: 1utia, required: 372utia (min gas price): insufficient fee', { kind: 'refused', requiredFee: 372n }],
  [13, 'insufficient fee', { kind: 'refused' }],
])('code %s with %j is understood', (code, text, expected) => {
  expect(takenBy({ code, text })).toMatchObject(expected);
});

test.each([
  ['is in a block', outgoing({ refusal: 'sequence' }), seen('COMMITTED'), { kind: 'included', height: 88n }],
  ['is in a block, late', outgoing(), seen('COMMITTED', { head: 200n }), { kind: 'included', height: 88n }],
  ['waits', outgoing(), seen('PENDING'), { kind: 'pending' }],
  ['waits, and a later copy was refused', outgoing({ refusal: 'fee' }), seen('PENDING'), { kind: 'pending' }],
  ['is not known', outgoing(), seen('UNKNOWN'), { kind: 'pending' }],
  ['was dropped', outgoing(), seen('EVICTED'), { kind: 'pending' }],
  ['is not known at its last height', outgoing(), seen('UNKNOWN', { head: 100n }), { kind: 'pending' }],
  ['is not known after it', outgoing(), seen('UNKNOWN', { head: 101n }), { kind: 'gone' }],
  ['waits after it', outgoing(), seen('PENDING', { head: 101n }), { kind: 'gone' }],
  ['was refused', outgoing({ refusal: 'fee' }), seen('REJECTED'), { kind: 'refused', reason: 'fee' }],
])('one that %s', (_, sent, what, expected) => {
  expect(toOutcome(sent, what)).toEqual(expected);
});

test('a used sequence counts from the next block on, since a status may come after the block that it belongs to', () => {
  const sent = outgoing();
  expect(toOutcome(sent, seen('UNKNOWN', { sequence: 6n }))).toEqual({ kind: 'pending' });
  expect(toOutcome(sent, seen('UNKNOWN', { sequence: 6n }))).toEqual({ kind: 'pending' });
  expect(toOutcome({ ...sent }, seen('COMMITTED', { sequence: 6n, head: 91n }))).toMatchObject({ kind: 'included' });
  expect(toOutcome(sent, seen('UNKNOWN', { sequence: 6n, head: 91n }))).toMatchObject({ kind: 'refused' });
  // Past the last height too.
  const late = outgoing();
  expect(toOutcome(late, seen('UNKNOWN', { sequence: 6n, head: 101n }))).toEqual({ kind: 'pending' });
  expect(toOutcome(late, seen('UNKNOWN', { sequence: 6n, head: 102n }))).toMatchObject({ kind: 'refused' });
});

// Defect: Relayer with several nodes: block posted twice when one node refused a transaction that another had accepted
test.each<[string, readonly (Taken | undefined)[], Partial<Outgoing>]>([
  ['refused at first', [{ kind: 'refused', reason: 'fee' }], { mayBeOut: false, refusal: 'fee' }],
  ['refused twice', Array(2).fill({ kind: 'refused', reason: 'fee' }), { mayBeOut: false, refusal: 'fee' }],
  [
    'refused, then taken',
    [{ kind: 'refused', reason: 'fee' }, { kind: 'taken' }],
    { mayBeOut: true, refusal: undefined },
  ],
  [
    'taken, then refused by another node',
    [{ kind: 'taken' }, { kind: 'refused', reason: 'fee' }],
    { mayBeOut: true, refusal: undefined },
  ],
  [
    'not answered, then refused',
    [undefined, { kind: 'refused', reason: 'fee' }],
    { mayBeOut: true, refusal: undefined },
  ],
  [
    'ahead, then refused',
    [{ kind: 'unclear' }, { kind: 'refused', reason: 'fee' }],
    { mayBeOut: false, refusal: 'fee' },
  ],
])('one that was %s: that it was refused is a fact only if no node can have it', (_, answers, expected) => {
  const sent = outgoing();
  for (const each of answers) afterSending(sent, each);
  expect(sent).toEqual(outgoing(expected));
});

test('what an earlier run may have sent is not lost because a node refuses it now', () => {
  const sent = outgoing({ mayBeOut: true });
  afterSending(sent, { kind: 'refused', reason: 'fee' });
  expect(toOutcome(sent, seen('REJECTED'))).toEqual({ kind: 'pending' });
  expect(toOutcome(sent, seen('REJECTED', { head: 101n }))).toEqual({ kind: 'gone' });
});
