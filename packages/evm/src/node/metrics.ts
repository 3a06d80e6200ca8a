import type { Metrics } from '@switchyard/service';
import type { ChainReader } from '../chain/chain.ts';

/** Counts the chain's activity. */
export function observeChain(metrics: Metrics, chain: ChainReader): void {
  const executed = metrics.counter('transactions_executed_total', 'transactions in blocks');
  const refused = metrics.counter('entries_refused_total', 'entries of sequencer blocks that became nothing');
  const gas = metrics.counter('gas_used_total', 'gas that transactions in blocks used');
  const deposits = metrics.counter('deposits_credited_total', 'deposits that were credited');
  const soft = metrics.gauge('soft_block_number', 'number of the soft block');
  const firm = metrics.gauge('firm_block_number', 'number of the firm block');
  const { latest, finalized } = chain.heads;
  soft.set(Number(latest));
  firm.set(Number(finalized));
  chain.onCommit(({ blocks, heads }) => {
    for (const each of blocks) {
      executed.add(each.block.transactions.length);
      refused.add(each.refused.length);
      gas.add(Number(each.block.header.gasUsed));
      deposits.add(each.block.withdrawals.length);
    }
    soft.set(Number(heads.latest));
    firm.set(Number(heads.finalized));
  });
}
