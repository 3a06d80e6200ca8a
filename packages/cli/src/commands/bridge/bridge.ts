import { plain } from '@switchyard/protocol/hidden-characters';
import { Failure } from '@switchyard/service/failure';
import type { Payment, WithdrawerStatus } from '@switchyard/withdrawer/contract';
import { integerReader } from '../../arguments.ts';
import { type Cli, leaf, optionSet } from '../../cli.ts';
import type { Connections } from '../../connect.ts';
import { columns } from '../../print.ts';
import { owedCommand } from './owed.ts';

/** `switchyard bridge ...`: holdings, debts and payments of a bridge account. */
export function bridgeCommands(cli: Cli, connect: Connections) {
  return [statusCommand(cli, connect), withdrawalsCommand(cli, connect), owedCommand(cli)];
}

const MAX_HELD = 100;

const HELP = `
Ends with 1 where the bridge account holds less than it owes, or a withdrawal is not paid that should be.`;

function statusCommand(cli: Cli, connect: Connections) {
  return withWithdrawer(
    leaf('status', 'show what a bridge account holds and owes, and which withdrawals are held', '', '--json'),
  )
    .addHelpText('after', HELP)
    .action(async (options) => {
      const node = await getWithdrawer(options, cli, connect);
      const status = await node.status();
      const open = status.held === 0 ? [] : await node.withdrawals(MAX_HELD);
      const held = open.filter(({ state }) => state === 'held');
      cli.print({ ...status, heldWithdrawals: held }, [...formatLines(status), ...held.map(heldLine)]);
      const problem = findProblem(status);
      if (problem !== undefined) throw new Failure(problem);
    });
}

function formatLines({ rollup, bridge, asset, account, commitment, sheet, ...counts }: WithdrawerStatus): string[] {
  const { open, held, paid, paidSum } = counts;
  const unit = asset ?? 'not initialized yet (`switchyard sequencer init-bridge-account`)';
  return [
    `Rollup: ${plain(rollup ?? 'did not answer yet')}`,
    `Bridge account: ${bridge}, ${plain(unit)}`,
    `Paid by: ${account}, from ${commitment} blocks`,
    `Withdrawals: ${paid} paid (${paidSum}), ${open - held} waiting, ${held} held`,
    ...(sheet === null ? ['Balance sheet: none yet'] : sheetLines(sheet, plain(unit))),
  ];
}

function sheetLines(sheet: NonNullable<WithdrawerStatus['sheet']>, unit: string): string[] {
  const rows = [
    ['locked', sheet.locked, 'balance of the bridge account'],
    ['= minted', sheet.minted, 'deposited and not withdrawn'],
    ['+ unpaid', sheet.unpaid, 'withdrawn and not paid, as far as deposits cover it'],
    ['+ arriving', sheet.arriving, 'deposits on their way, at most'],
    ['+ uncredited', sheet.uncredited, 'deposits that the rollup refused'],
    ['+ surplus', sheet.surplus, 'plain transfers to the account; a shortfall, if negative'],
  ] as const;
  const { height, uncovered } = sheet;
  return [
    `Balance sheet at height ${height}, in ${unit}:`,
    ...columns(rows.map(([name, amount, meaning]) => [`  ${name}`, amount.padStart(longest(rows)), meaning])),
    ...(uncovered === '0'
      ? []
      : [`Not owed: ${uncovered}, withdrawn beyond all deposits, such as coins of the genesis`]),
  ];
}

const longest = (rows: readonly (readonly [string, string, string])[]) =>
  Math.max(...rows.map(([, amount]) => amount.length));

const heldLine = ({ eventId, amount, to, reason = 'no reason given' }: Payment) =>
  `Held: ${plain(eventId)}: ${amount} to ${plain(to)}: ${plain(reason)}`;

/** One line if people have to act. */
function findProblem({ trouble, sheet, bridge }: WithdrawerStatus): string | undefined {
  if (trouble !== null) return `withdrawals are not paid: ${plain(trouble)}`;
  if (sheet?.isBalanced !== false) return undefined;
  return `bridge account ${bridge}: expected at least what it owes, got ${sheet.surplus.replace('-', '')} less at height ${sheet.height}`;
}

function withdrawalsCommand(cli: Cli, connect: Connections) {
  return withWithdrawer(
    leaf('withdrawals', 'list the open withdrawals in their order, then the newest paid ones', '', '--limit 20 --json'),
  )
    .option('--limit <n>', 'at most so many', integerReader('--limit', 1, 1_000), 100)
    .action(async ({ limit, ...options }) => {
      const withdrawals = await (await getWithdrawer(options, cli, connect)).withdrawals(limit);
      cli.print(withdrawals, withdrawals.length === 0 ? 'no withdrawals were read' : withdrawals.map(formatLine));
    });
}

function formatLine({ eventId, block, sender, to, amount, ...payment }: Payment): string {
  const facts = `${plain(eventId)}: ${amount} of ${plain(sender)} in block ${block} to ${plain(to)}`;
  return `${facts}: ${getOutcome(payment)}`;
}

type Outcome = Pick<Payment, 'state' | 'reason' | 'transaction' | 'height' | 'fee'>;

function getOutcome({ state, reason, transaction, height, fee = '0' }: Outcome) {
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

const DEFAULT_URL = 'http://127.0.0.1:2451';

const withWithdrawer = optionSet((command) =>
  command.option(
    '--url <url>',
    'HTTP address of the withdrawer; the second one of a network has port 2452',
    DEFAULT_URL,
  ),
);

async function getWithdrawer({ url }: { readonly url: string }, cli: Cli, connect: Connections) {
  const { askedByUrl } = await import('../../target.ts');
  return connect.withdrawer(askedByUrl(cli, '--url', url));
}
