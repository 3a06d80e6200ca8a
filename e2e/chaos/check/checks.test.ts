import { describe, expect, test } from 'vitest';
import { makeHistory } from '../history.ts';
import type { ClientRecord } from '../record.ts';
import { checkExactlyOnce } from './exactly-once.ts';
import { checkHeights } from './heights.ts';
import type { Execution, Observed } from './observed.ts';
import { checkRecovery, recoveryTable } from './recovery.ts';
import { checkValue } from './value.ts';

/** A run in which all went well; each test spoils one thing. */
const records: ClientRecord[] = [
  { kind: 'account', at: 0, address: 'ann', asset: 'coin', amount: '100' },
  { kind: 'account', at: 0, address: 'ben', asset: 'coin', amount: '100' },
  { kind: 'sent', at: 1, id: 't0', from: 'ann', nonce: 0, intent: { kind: 'text', text: 'hello' } },
  { kind: 'answer', at: 2, id: 't0', outcome: 'unknown', detail: 'no answer' },
  { kind: 'answer', at: 3, id: 't0', outcome: 'acknowledged' },
  {
    kind: 'sent',
    at: 4,
    id: 't1',
    from: 'ann',
    nonce: 1,
    intent: { kind: 'transfer', to: 'ben', asset: 'coin', amount: '7' },
  },
  { kind: 'answer', at: 5, id: 't1', outcome: 'acknowledged' },
  { kind: 'sent', at: 6, id: 't2', from: 'ben', nonce: 0, intent: { kind: 'text', text: 'never taken' } },
  { kind: 'answer', at: 7, id: 't2', outcome: 'unavailable', detail: 'full' },
  {
    kind: 'sent',
    at: 8,
    id: 'd0',
    from: 'eve',
    nonce: 3,
    intent: { kind: 'deposit', to: 'ben', asset: 'seq', amount: '5' },
  },
  { kind: 'answer', at: 9, id: 'd0', outcome: 'acknowledged' },
];
const t0: Execution = { id: 't0', block: 1, index: 0, outcome: 'executed', fee: 1n };
const t1: Execution = { id: 't1', block: 2, index: 0, outcome: 'executed', fee: 0n };
const good: Observed = {
  executions: [t0, t1],
  sequenced: new Map([
    ['t0', [1]],
    ['t1', [2]],
  ]),
  postponed: new Map(),
  texts: new Map([['t0', 'hello']]),
  executedInAll: 2,
  sequencerBlocks: [
    { height: 1, hash: 'a1', parentHash: '' },
    { height: 2, hash: 'a2', parentHash: 'a1' },
    { height: 3, hash: 'a3', parentHash: 'a2' },
  ],
  rollupBlocks: [
    { number: 1, hash: 'b1', parentHash: 'b0', sequencerHash: 'a1' },
    { number: 2, hash: 'b2', parentHash: 'b1', sequencerHash: 'a2' },
  ],
  genesisHeight: 0,
  deposits: new Set(['d0']),
  depositUnit: 10n,
  depositAsset: 'deposited',
  balances: [
    { address: 'ann', asset: 'coin', amount: 92n },
    { address: 'ben', asset: 'coin', amount: 107n },
    { address: 'ben', asset: 'deposited', amount: 50n },
  ],
  totals: [{ name: 'supply', expected: 200n, actual: 200n }],
};

function violations(over: Partial<Observed> = {}, more: readonly ClientRecord[] = []): string[] {
  const history = makeHistory([...records, ...more]);
  const observed = { ...good, ...over };
  const all = [...checkExactlyOnce(history, observed), ...checkValue(history, observed), ...checkHeights(observed)];
  return all.map(({ check }) => check);
}

test('a run in which all went well has no violations', () => {
  expect(violations()).toEqual([]);
});

describe('found is', () => {
  test('an acknowledged transaction that is in no block', () => {
    expect(violations({ executions: [t0], executedInAll: 1 })).toEqual(['lost', 'balance', 'balance']);
  });

  test('an acknowledged text that is not shown', () => {
    expect(violations({ texts: new Map() })).toEqual(['changed']);
  });

  test('a text that was altered', () => {
    expect(violations({ texts: new Map([['t0', 'hellp']]) })).toEqual(['changed']);
  });

  test('a transaction that was executed twice', () => {
    const executions = [t0, t1, { ...t1, block: 3 }];
    expect(violations({ executions, executedInAll: 3 })).toEqual(
      expect.arrayContaining(['executed-twice', 'executed-count', 'balance']),
    );
  });

  test('a second copy in a block, though it was refused there', () => {
    const copy: Execution = { ...t0, block: 2, outcome: 'refused', reason: 'nonce too low', fee: 0n };
    const sequenced = new Map([...good.sequenced, ['t0', [1, 2]]]);
    expect(violations({ executions: [t0, t1, copy], sequenced })).toEqual(['included-twice']);
  });

  test.each<[string, readonly number[], readonly number[], readonly string[]]>([
    ['after the block that refused it for now', [1, 3], [1], []],
    ['twice, each time after a block that refused it for now', [1, 2, 4], [1, 2], []],
    ['after a block that executed it, or refused it for good', [1, 2], [], ['included-twice']],
    ['after a block that executed it, and refused for now there', [1, 3], [3], ['included-twice']],
    ['after a second inclusion that was not refused for now', [1, 2, 3], [1], ['included-twice']],
    ['in the very block that refused it for now', [1, 1], [1], ['included-twice']],
  ])('a copy, and not what is sent again: included once more %s', (_, heights, refusedForNow, expected) => {
    const sequenced = new Map([...good.sequenced, ['t0', heights]]);
    expect(violations({ sequenced, postponed: new Map([['t0', new Set(refusedForNow)]]) })).toEqual(expected);
  });

  test('a refusal without a reason', () => {
    const refused: Execution = { ...t0, outcome: 'refused', fee: 0n };
    const balances = good.balances.map((each) => (each.address === 'ann' ? { ...each, amount: 93n } : each));
    expect(violations({ executions: [refused, t1], executedInAll: 1, balances })).toEqual(['no-reason']);
  });

  test('an order that is not that of the nonces', () => {
    expect(violations({ executions: [{ ...t0, block: 3 }, t1] })).toEqual(['order']);
    expect(violations({ executions: [{ ...t0, block: 2, index: 1 }, t1] })).toEqual(['order']);
  });

  test('a transaction that no client sent', () => {
    const executions = [t0, t1, { ...t1, id: 'forged' }];
    expect(violations({ executions, executedInAll: 3 })).toEqual(['unknown']);
  });

  test('an execution of an unknown transaction', () => {
    expect(violations({ executedInAll: 3 })).toEqual(['executed-count']);
  });

  test('money that came out of nothing, with a client and with anybody else', () => {
    const balances = [...good.balances, { address: 'ann', asset: 'deposited', amount: 1n }];
    expect(violations({ balances })).toEqual(['balance']);
    expect(violations({ totals: [{ name: 'supply', expected: 200n, actual: 201n }] })).toEqual(['total']);
  });

  test('money that is gone', () => {
    expect(violations({ balances: good.balances.slice(1) })).toEqual(['balance']);
  });

  test('a deposit that was paid twice, or not at all', () => {
    const paid = (amount: bigint) =>
      good.balances.map((each) => (each.asset === 'deposited' ? { ...each, amount } : each));
    expect(violations({ balances: paid(100n) })).toEqual(['balance']);
    expect(violations({ balances: paid(0n) })).toEqual(['balance']);
  });

  test('an acknowledged deposit that is in no block', () => {
    const balances = good.balances.filter(({ asset }) => asset !== 'deposited');
    expect(violations({ deposits: new Set(), balances })).toEqual(['lost']);
  });

  test('a client that was never answered', () => {
    expect(violations({}, [{ kind: 'gave-up', at: 99, id: 't2' }])).toEqual(['unanswered']);
  });

  test('a gap, and a block on another parent, in either chain', () => {
    const [s1, s2, s3] = good.sequencerBlocks;
    const [b1, b2] = good.rollupBlocks;
    if (s1 === undefined || s2 === undefined || s3 === undefined || b1 === undefined || b2 === undefined)
      throw new Error();
    expect(violations({ sequencerBlocks: [s1, s3], rollupBlocks: [b1] })).toEqual(['gap']);
    expect(violations({ sequencerBlocks: [s1, { ...s2, parentHash: 'a9' }, s3] })).toEqual(['parent']);
    expect(violations({ rollupBlocks: [b1, { ...b2, number: 3, sequencerHash: 'a3' }] })).toEqual(['gap']);
    expect(violations({ rollupBlocks: [b1, { ...b2, parentHash: 'b9' }] })).toEqual(['parent']);
  });

  test('a rollup block that was not made from the sequencer block of its height', () => {
    const [b1, b2] = good.rollupBlocks;
    if (b1 === undefined || b2 === undefined) throw new Error();
    expect(violations({ rollupBlocks: [b1, { ...b2, sequencerHash: 'a3' }] })).toEqual(['commitment']);
    expect(violations({ sequencerBlocks: good.sequencerBlocks.slice(0, 1) })).toEqual(['ahead']);
  });

  test('a chain that shows nothing', () => {
    expect(violations({ sequencerBlocks: [], rollupBlocks: [] })).toEqual(['gap', 'gap']);
  });
});

test('what was not acknowledged may have been executed once, and not twice', () => {
  const t2: Execution = { id: 't2', block: 2, index: 1, outcome: 'executed', fee: 1n };
  const late = {
    texts: new Map([
      ['t0', 'hello'],
      ['t2', 'never taken'],
    ]),
    balances: good.balances.map((each) =>
      each.address === 'ben' && each.asset === 'coin' ? { ...each, amount: 106n } : each,
    ),
  };
  expect(violations({ ...late, executions: [t0, t1, t2], executedInAll: 3 })).toEqual([]);
  expect(violations({ ...late, executions: [t0, t1, t2, t2], executedInAll: 4 })).toContain('executed-twice');
});

test('a log that speaks of what was not sent is an error', () => {
  expect(() => makeHistory([{ kind: 'answer', at: 1, id: 'x', outcome: 'acknowledged' }])).toThrow(
    /before it was sent/,
  );
  expect(() => violations({}, records.slice(2, 3))).toThrow(/twice/);
});

describe('recovery', () => {
  const seen = [
    { service: 'composer', fault: 'kill', at: 1_000, ms: 900 },
    { service: 'composer', fault: 'kill', at: 5_000, ms: 61_000 },
    { service: 'rollup', fault: 'kill', at: 9_000, ms: undefined },
  ];

  test('that takes too long, or never comes, is a violation', () => {
    expect(checkRecovery(seen, 60_000).map(({ detail }) => detail)).toEqual([
      'composer after kill at 5.0 s: ready again after 61.0 s',
      'rollup after kill at 9.0 s: not ready again before the end of the run',
    ]);
    expect(checkRecovery(seen.slice(0, 1), 60_000)).toEqual([]);
  });

  test('is summed up by service and kind of fault', () => {
    expect(recoveryTable(seen)).toEqual([
      { service: 'composer', fault: 'kill', count: 2, medianMs: 900, worstMs: 61_000 },
      {
        service: 'rollup',
        fault: 'kill',
        count: 1,
        medianMs: Number.POSITIVE_INFINITY,
        worstMs: Number.POSITIVE_INFINITY,
      },
    ]);
  });
});
