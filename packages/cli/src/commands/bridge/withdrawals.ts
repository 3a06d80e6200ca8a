import type { Payment } from '@switchyard/withdrawer/contract';
import { integerReader } from '../../arguments.ts';
import { type Cli, leaf } from '../../cli.ts';
import type { Connections } from '../../connections.ts';
import { plain } from '../../print.ts';
import { withdrawerOf, withWithdrawer } from './options.ts';

/** `switchyard bridge withdrawals` */
export function withdrawalsCommand(cli: Cli, connect: Connections) {
  return withWithdrawer(
    leaf('withdrawals', 'list the open withdrawals in their order, then the newest paid ones', '', '--limit 20 --json'),
  )
    .option('--limit <n>', 'at most so many', integerReader('--limit', 1, 1_000), 100)
    .action(async ({ limit, ...options }) => {
      const withdrawals = await (await withdrawerOf(options, cli, connect)).withdrawals(limit);
      cli.print(withdrawals, withdrawals.length === 0 ? 'no withdrawals were read' : withdrawals.map(lineOf));
    });
}

function lineOf({ eventId, block, sender, to, amount, ...payment }: Payment): string {
  const facts = `${plain(eventId)}: ${amount} of ${plain(sender)} in block ${block} to ${plain(to)}`;
  return `${facts}: ${outcomeOf(payment)}`;
}

type Outcome = Pick<Payment, 'state' | 'reason' | 'transaction' | 'height' | 'fee'>;

function outcomeOf({ state, reason, transaction, height, fee = '0' }: Outcome) {
  switch (state) {
    case 'waiting':
      return 'waiting';
    case 'held':
      return `held: ${plain(reason ?? 'no reason given')}`;
    case 'paid':
      if (transaction === undefined) return 'paid';
      return `paid by ${plain(transaction)} in block ${height}${fee === '0' ? '' : `, less a fee of ${plain(fee)}`}`;
  }
}
