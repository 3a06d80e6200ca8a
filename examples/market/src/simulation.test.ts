import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { alice, bob, definedRollup } from '@switchyard/network';
import { simulate } from '@switchyard/network/simulate';
import { parseAddress } from '@switchyard/protocol';
import { balances } from '@switchyard/rollup';
import { market } from './market.ts';
import { PAYOUT } from './rules.ts';
import { payoutOf } from './settle.ts';
import { book, markets, oracles, positions } from './state.ts';
import { NRIA, POINTS } from './test-market.ts';

const rollup = definedRollup(market, readFileSync(new URL('../genesis.json', import.meta.url), 'utf8'));
const ALL = { limit: 10_000 } as const;
type State = Parameters<typeof markets.range>[0];
const sum = (amounts: readonly bigint[]) => amounts.reduce((one, other) => one + other, 0n);

/** Shares of a market that pay, or will: before the answer either outcome does, since there are as many of each. */
function owed(state: State, id: number): bigint {
  const found = markets.get(state, id);
  const shares = positions.range(state, ALL).filter(([[, market]]) => market === id);
  return sum(
    shares.map(([[, , outcome], held]) =>
      found === undefined ? 0n : held * (payoutOf(found, outcome) ?? (outcome === 'yes' ? BigInt(PAYOUT) : 0n)),
    ),
  );
}

test('no coin is made or lost, under faults of all kinds', { timeout: 300_000 }, async () => {
  const [result] = await simulate(rollup, {
    ...{ seeds: [1], heights: 50, actors: [alice, bob] },
    weights: { appoint: 2, open: 4, order: 16, resolve: 2, claim: 2, redeem: 2 },
    values: {
      appoint: ({ chance }) => ({
        account: parseAddress(chance.pick([alice, bob]).address),
        isActive: chance.happens(0.95),
      }),
      open: ({ chance }) => {
        const closes = BigInt(chance.integer(10, 60));
        return {
          name: `market ${chance.integer(0, 8)}`,
          collateral: chance.pick([NRIA, POINTS, POINTS]),
          closes,
          lapses: closes + 8n,
        };
      },
      order: ({ chance }) => ({
        ...{ id: chance.integer(1, 3), price: chance.integer(30, 99), shares: BigInt(chance.integer(10, 60)) },
      }),
      ...Object.fromEntries(
        (['close', 'resolve', 'lapse', 'claim', 'redeem'] as const).map((name) => [
          name,
          ({ chance }: { readonly chance: { integer(low: number, high: number): number } }) => ({
            id: chance.integer(1, 3),
          }),
        ]),
      ),
    },
    invariants: {
      conserved(state, { deposited, withdrawn }) {
        for (const collateral of [NRIA, POINTS]) {
          const held = sum(
            [...balances.range(state, ALL)].flatMap(([[, asset], amount]) => (asset === collateral ? [amount] : [])),
          );
          const inMarkets = markets.range(state, ALL).filter(([, found]) => found.collateral === collateral);
          const waiting = inMarkets.flatMap(([id]) =>
            book.range(state, { ...ALL, prefix: [id] }).map(([, { left, price }]) => left * BigInt(price)),
          );
          const all = held + sum(waiting) + sum(inMarkets.map(([id]) => owed(state, id)));
          assert.equal(
            all,
            (collateral === POINTS ? 2_000_000n : 0n) + deposited(collateral) - withdrawn(collateral),
            collateral,
          );
        }
        return true;
      },
      paired: (state) =>
        markets.range(state, ALL).every(([id, { status }]) => {
          const of = (wanted: string) =>
            sum(
              positions
                .range(state, ALL)
                .flatMap(([[, market, outcome], held]) => (market === id && outcome === wanted ? [held] : [])),
            );
          return (status !== 'open' && status !== 'closed') || of('yes') === of('no');
        }),
      counted: (state) =>
        oracles.range(state, ALL).every(([oracle, { open }]) => {
          const own = markets.range(state, ALL).filter(([, found]) => found.oracle === oracle);
          return own.filter(([, { status }]) => status === 'open' || status === 'closed').length === open;
        }),
    },
  });
  assert.deepEqual(result?.violations, []);
  assert.ok((result?.acknowledged ?? 0) > 50);
});
