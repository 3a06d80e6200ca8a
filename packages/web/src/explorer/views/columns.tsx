import type {
  Block,
  BlockRollup,
  Deposit,
  RollupBlock,
  Submission,
  Transaction,
  Withdrawal,
} from '@switchyard/explorer/contract';
import { Badge } from '../../ui/badge.tsx';
import { words } from '../../ui/format.ts';
import { Name } from '../../ui/name.tsx';
import { shown } from '../../ui/shown.ts';
import type { Columns } from '../../ui/table.tsx';
import { type Event, type Message, rollupPath } from '../api.ts';
import { amount, bytes, count, Id, kinds, link, outcome, result, rollupLink, text, when } from '../parts/cells.tsx';
import { word } from '../word.ts';
import { Members } from './members.tsx';

/* The lists of the sequencer. */

export const BLOCKS: Columns<Block> = [
  ['Height', link('blocks', 'height')],
  ['Time', when('time')],
  ['Transactions', count('transactions'), 'number'],
  ['Submissions', count('submissions'), 'number'],
  ['Rollup data', bytes('submissionBytes'), 'number'],
  ['Deposits', count('deposits'), 'number'],
  ['Size', bytes('size'), 'number'],
];

export const TRANSACTIONS: Columns<Transaction> = [
  ['Hash', link('transactions', 'hash')],
  ['Block', link('blocks', 'height')],
  ['Time', when('time')],
  ['Signer', link('accounts', 'signer')],
  ['Actions', kinds],
  ['Result', result],
];

const pick = <T,>(columns: Columns<T>, ...names: readonly string[]): Columns<T> =>
  columns.filter(([name]) => names.includes(name));

export const NEWEST_BLOCKS = pick(BLOCKS, 'Height', 'Time', 'Transactions', 'Rollup data');
export const NEWEST_TRANSACTIONS = pick(TRANSACTIONS, 'Hash', 'Time', 'Actions', 'Result');

export const BLOCK_ROLLUPS: Columns<BlockRollup> = [
  ['Rollup', rollupLink],
  ['Submissions', count('submissions'), 'number'],
  ['Bytes', bytes('bytes'), 'number'],
  ['Deposits', count('deposits'), 'number'],
];

export const ROLLUP_BLOCKS: Columns<RollupBlock> = [
  ['Number', link('./blocks', 'number')],
  ['Time', when('time')],
  ['Sequencer block', link('blocks', 'sequencerHeight')],
  ['Executed', count('executed'), 'number'],
  ['Refused', count('refused'), 'number'],
  ['Deposits', count('deposits'), 'number'],
];

export const SUBMISSIONS: Columns<Submission> = [
  ['Hash', link('./transactions', 'hash')],
  ['Time', ({ sequencer }) => when('time')(sequencer)],
  ['Sequencer block', ({ sequencer }) => link('blocks', 'height')(sequencer)],
  ['Size', bytes('size'), 'number'],
  ['Outcome', ({ state, execution }) => outcome({ state, reason: execution?.reason ?? null })],
];

export const MESSAGES: Columns<Message> = [
  ['From', ({ sender, address }) => <Name name={sender} address={address} />],
  ['Address', link('./accounts', 'address')],
  ['Message', text('message'), 'words'],
  ['Time', when('time')],
  ['Transaction', link('./transactions', 'hash')],
];

export const EVENTS: Columns<Event> = [
  ['Event', ({ event }) => <Badge>{words(shown(word(event.at('kind'))))}</Badge>],
  ['Fields', ({ event }) => <Members of={event} without="kind" depth={1} />, 'words'],
  ['Block', link('./blocks', 'block')],
  ['Transaction', link('./transactions', 'transaction')],
];

const MOVED: Columns<Deposit | Withdrawal> = [
  ['Transaction', link('transactions', 'transaction')],
  ['Time', when('time')],
  ['Amount', amount],
  ['From bridge', link('accounts', 'bridge')],
];

export const DEPOSITS: Columns<Deposit> = [
  ...MOVED,
  ['To', ({ destination }) => <Id text={destination} />],
  ['Outcome', outcome],
];

export const WITHDRAWALS: Columns<Withdrawal> = [
  ...MOVED,
  ['To', link('accounts', 'recipient')],
  ['Withdrawn in', withdrawnIn],
];

/** Transaction of the rollup that made a withdrawal, if the explorer has it; else the event that it names. */
function withdrawnIn({ rollup, request, event, rollupBlock }: Withdrawal) {
  if (request !== null) {
    const { transaction } = request;
    return <Id text={transaction} to={`${rollupPath(rollup ?? '')}/evm/transactions/${transaction}`} />;
  }
  const name = shown(event);
  return `block ${rollupBlock}, ${name.length > 24 ? `${name.slice(0, 24)}…` : name}`;
}
