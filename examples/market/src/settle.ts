import type { HandlerContext } from '@switchyard/rollup';
import { PAYOUT, settled } from './rules.ts';
import { type Market, markets, type Outcome, oracles } from './state.ts';

/** Ends a market. Its shares are paid where their owners claim them, however many there are. */
export function settle(context: HandlerContext, id: number, market: Market, status: Outcome | 'void'): void {
  const { state } = context;
  markets.put(state, id, { ...market, status });
  const oracle = oracles.get(state, market.oracle);
  oracles.put(state, market.oracle, { ...oracle, open: oracle.open - 1 });
  settled.emit(context, { id, status });
}

/** Units that one share pays; undefined for a market that is not settled. */
export function payoutOf({ status }: Pick<Market, 'status'>, share: Outcome): bigint | undefined {
  if (status === 'open' || status === 'closed') return undefined;
  if (status === 'void') return BigInt(PAYOUT / 2);
  return status === share ? BigInt(PAYOUT) : 0n;
}
