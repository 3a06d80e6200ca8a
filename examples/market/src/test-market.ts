import {
  createSigner,
  formatAddress,
  parseAnyAddress,
  parseDenom,
  type Signer,
  txHashFromHex,
} from '@switchyard/protocol';
import { toRollup } from '@switchyard/rollup/node';
import { testRollup } from '@switchyard/rollup/testing';
import { market } from './market.ts';
import type { Outcome } from './state.ts';

/* A node in memory with a market or two, for tests. */

export const [operator, alice, bob, stranger] = [1, 2, 3, 4].map((byte) =>
  createSigner(new Uint8Array(32).fill(byte)),
) as [Signer, Signer, Signer, Signer];
export const POINTS = parseDenom('points').id;
export const NRIA = parseDenom('nria').id;
export const RICHEST = (1n << 128n) - 1n;
const bridge = 'astria1kk3d0u5v0h5a786gvks6yfedeh349yh2dq3acv';

export const genesis = (points: Readonly<Record<string, bigint>> = {}) =>
  JSON.stringify({
    ...{ rollup_name: 'market', sequencer_chain_id: 'test', canonical_transactions: true },
    bridge_accounts: [{ bech32m: bridge }],
    failed_deposits: { bech32m: formatAddress(operator.account) },
    operator: formatAddress(operator.account),
    collaterals: ['nria', 'points'],
    balances: [alice, bob].map(({ account }) => ({
      ...{ account: formatAddress(account), asset: 'points' },
      amount: String(points[account] ?? 100_000n),
    })),
  });

const accepted = { until: 'accepted' } as const;

/** @param defined The market, or one with another handler. */
export async function testMarket(text = genesis(), defined = market) {
  const node = await testRollup(defined, text);
  const { rollup, chainId } = toRollup(defined, text).genesis;
  const { submit, wait, query } = node.client;
  /** Executes a transaction in a block of its own. */
  async function executed(submission: Promise<{ readonly hash: string }>) {
    const { hash } = await submission;
    await node.block();
    return wait(hash);
  }
  return {
    ...node,
    chainId,
    executed,
    appoint: (account = operator.account) => executed(submit.appoint({ account, isActive: true }, operator, accepted)),
    /** Opens a market that closes after so many blocks. */
    async open(name: string, { collateral = POINTS, blocks = 20n } = {}) {
      const closes = node.chain.view.soft + blocks;
      await executed(submit.open({ name, collateral, closes, lapses: closes + 20n }, operator, accepted));
      return (await query.marketNamed({ name })).id;
    },
    order: (signer: Signer, id: number, outcome: Outcome, price: number, shares: bigint) =>
      executed(submit.order({ id, outcome, price, shares }, signer, accepted)),
    /** Makes empty blocks up to this one. */
    async reach(block: bigint) {
      while (node.chain.view.soft < block) await node.block();
    },
    held: async ({ account }: Signer, asset = POINTS) => (await query.balance({ account, asset })).amount,
    deposit: (destination: string, amount: bigint, asset = 'nria') =>
      node.block({
        deposits: [
          {
            ...{ bridge: parseAnyAddress(bridge), rollup, asset, amount, destination },
            ...{ sourceTransaction: txHashFromHex('ab'.repeat(32)), sourceAction: 0n },
          },
        ],
      }),
  };
}
export type TestMarket = Awaited<ReturnType<typeof testMarket>>;
