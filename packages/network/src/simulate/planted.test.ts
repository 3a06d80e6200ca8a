import { parseAddress, parseDenom, Rejected } from '@switchyard/protocol';
import { action, address, bool, defineRollup, table, u32, u64 } from '@switchyard/rollup';
import { expect, test } from 'vitest';
import { definedRollup } from '../defined-rollup.ts';
import { FAULTS, type InvariantFacts, type Invariants, SimulationFailed, simulate, type ValueFacts } from './index.ts';

/* Defects as authors make them, one in each definition, and the smallest runs that show them. */

const NRIA = parseDenom('nria').id;
const accounts = table({ name: 'accounts', key: address, value: u64, absent: 0n });
const orders = table({ name: 'orders', key: u32, value: address });
/** Kept by hand: how many orders an account has. */
const counts = table({ name: 'counts', key: address, value: u32, absent: 0 });
const market = table({ name: 'market', key: u32, value: bool, absent: false });

type Defect = 'a bug' | 'lost money' | 'own memory' | 'order of two' | 'double credit' | 'wrong index';

const genesis = JSON.stringify({
  ...{ rollup_name: 'shop', sequencer_chain_id: 'any', sequencer_genesis_block_height: 0, da_genesis_block_height: 0 },
  ...{
    da_block_variance: 0,
    canonical_transactions: true,
    bridge_accounts: [{ bech32m: 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm' }],
  },
});

function shop(defect?: Defect) {
  let memory = 0;
  const defined = defineRollup({
    name: 'shop',
    tables: [accounts, orders, counts, market],
    actions: {
      pay: action({
        fields: { to: address, amount: u64 },
        execute({ to, amount }, { state, signer }) {
          const held = accounts.get(state, signer);
          if (held < amount) throw new Rejected('insufficient-balance', { held, amount });
          const received = accounts.get(state, to);
          accounts.put(state, signer, held - amount);
          // If both are one account, the earlier read is written last.
          accounts.put(state, to, (defect === 'lost money' ? received : accounts.get(state, to)) + amount);
        },
      }),
      order: action({
        fields: { id: u32 },
        execute({ id }, { state, signer }) {
          if (orders.has(state, id)) throw new Rejected('already-present', { id });
          orders.put(state, id, signer);
          counts.put(state, signer, counts.get(state, signer) + 1);
          if (defect === 'own memory') market.put(state, 3, memory++ % 2 === 0);
        },
      }),
      cancel: action({
        fields: { id: u32 },
        execute({ id }, { state }) {
          const owner = orders.get(state, id);
          if (defect === 'a bug') BigInt(owner ?? 'nothing');
          if (owner === undefined) throw new Rejected('not-found', { id });
          orders.delete(state, id);
          if (defect !== 'wrong index') counts.put(state, owner, counts.get(state, owner) - 1);
        },
      }),
      open: action({
        fields: {},
        execute(_, { state }) {
          market.put(state, 1, true);
        },
      }),
      close: action({
        fields: {},
        execute(_, { state }) {
          // Nothing but its place before or after another transaction decides.
          if (defect === 'order of two' && market.get(state, 1)) market.put(state, 2, true);
          market.put(state, 1, false);
        },
      }),
    },
    onDeposit({ destination, amount }, state) {
      const account = parseAddress(destination);
      accounts.put(state, account, accounts.get(state, account) + amount * (defect === 'double credit' ? 2n : 1n));
      return account;
    },
  });
  return definedRollup(defined, genesis);
}

type State = Parameters<Invariants[string]>[0];
const ALL = { limit: 10_000 } as const;

const invariants = {
  conserved(state: State, { deposited }: InvariantFacts) {
    const held = [...accounts.range(state, ALL)].reduce((sum, [, amount]) => sum + amount, 0n);
    if (held !== deposited(NRIA)) throw new Error(`accounts hold ${held}, ${deposited(NRIA)} were deposited`);
    return true;
  },
  counted(state: State) {
    const owners = [...orders.range(state, ALL)].map(([, owner]) => owner);
    return [...counts.range(state, ALL)].every(
      ([owner, count]) => owners.filter((each) => each === owner).length === count,
    );
  },
  closed: (state: State) => !market.get(state, 2),
};

const options = {
  heights: 10,
  invariants,
  weights: { order: 2 },
  values: { order: ({ chance }: ValueFacts) => ({ id: chance.integer(0, 5) }) },
};

// Defect: A refusal stopped the transactions of a simulated account for ever
test('a definition without a defect holds under all faults, and its refusals are outcomes', async () => {
  const [result] = await simulate(shop(), { ...options, seeds: [1], heights: 40 });
  expect(result).toMatchObject({ violations: [], steps: {} });
  expect(result?.sent).toBeGreaterThan(result?.acknowledged ?? 0);
  expect(result?.deposits).toBeGreaterThan(0);
}, 120_000);

// Defect: Money that a handler loses, memory of its own, an order of two, a double credit, a wrong index and a bug had to
// be looked for by hand
test.each([
  ['a bug', 'no handler has a bug', ['cancel'], [1, 2]],
  ['lost money', 'conserved', ['deposit', 'pay'], [6]],
  ['own memory', 'no fork', ['order'], [1]],
  ['order of two', 'closed', ['open', 'close'], [1]],
  ['double credit', 'conserved', ['deposit'], [1]],
  ['wrong index', 'counted', ['order', 'cancel'], [2]],
] as const)(
  '%s is found as %s, and shrinks to %j',
  async (defect, rule, smallest, seeds) => {
    // Faults make a seed longer, and are left out again if they have no part in it.
    const given = { ...options, seeds, faults: defect === 'order of two' ? FAULTS.slice(0, 2) : [] };
    const failed = await simulate(shop(defect), given).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(SimulationFailed);
    const { result, smallest: again, message } = failed as SimulationFailed;
    expect(message).toContain(
      `repeat it with: simulate(rollup, { ...options, seeds: [${result.seed}], heights: 10, only: ${JSON.stringify(again.only)} })`,
    );
    expect(result.violations.map((each) => each.rule)).toEqual([rule]);
    expect(
      Object.entries(result.steps).map(([name, text]) =>
        name.startsWith('deposit') ? 'deposit' : JSON.parse(text).kind,
      ),
    ).toEqual(smallest);
    // The line of the message is enough for the same run.
    const repeated = await simulate(shop(defect), { ...given, ...again, shrinkRuns: 0 }).catch(
      (error: unknown) => error,
    );
    expect((repeated as SimulationFailed).result.steps).toEqual(result.steps);
  },
  240_000,
);
