import { toHex, type Validator } from '@switchyard/protocol';
import { insert, insertRecords } from '../store/statements.ts';
import type { Statement, Value } from '../store/store.ts';
import type { BlockFacts } from './block-facts.ts';
import { sumFees } from './fees.ts';

/** Reasons come from the state machine, but hold text of strangers. */
const MAX_REASON = 500;

/** Rows of a block in the index. Two blocks never change one row within one statement. */
export function blockRows(facts: BlockFacts): Statement[] {
  const { height, transactions, submissions, deposits } = facts;
  const block = {
    height,
    hash: facts.hash,
    time: facts.time,
    proposer: facts.proposer,
    transactions: transactions.length,
    failed: transactions.filter(({ code }) => code !== 0).length,
    size: facts.size,
    submissions: submissions.length,
    submissionBytes: submissions.reduce((sum, { size }) => sum + size, 0),
    deposits: deposits.length,
    fees: JSON.stringify(sumFees(transactions.map(({ fees }) => fees))),
  };
  return [
    ...insertRecords('blocks', [block]),
    ...transactionRows(facts),
    ...accountRows(facts),
    ...rollupRows(facts),
    ...depositRows(facts),
    ...bridgeRows(facts),
    ...withdrawalRows(facts),
  ];
}

function transactionRows({ height, transactions }: BlockFacts): Statement[] {
  return insertRecords(
    'transactions',
    transactions.map(({ touched: _, ...each }) => ({
      ...each,
      height,
      signer: each.signer ?? '',
      reason: each.reason.slice(0, MAX_REASON),
      kinds: each.kinds.join(','),
      actions: JSON.stringify(each.actions),
      fees: JSON.stringify(each.fees),
    })),
  );
}

function accountRows({ height, transactions }: BlockFacts): Statement[] {
  const touched = transactions.flatMap(({ position, touched }) => touched.map((account) => ({ account, position })));
  const counts = new Map<string, number>();
  for (const { account } of touched) counts.set(account, (counts.get(account) ?? 0) + 1);
  const conflict =
    'ON CONFLICT (account) DO UPDATE SET transactions = accounts.transactions + excluded.transactions, last_height = excluded.last_height';
  return [
    ...insert(
      'accounts',
      ['account', 'first_height', 'last_height', 'transactions'],
      [...counts].map(([account, count]) => [account, height, height, count]),
      conflict,
    ),
    ...insert(
      'account_transactions',
      ['account', 'height', 'position'],
      touched.map(({ account, position }) => [account, height, position]),
    ),
  ];
}

function rollupRows({ height, submissions, deposits }: BlockFacts): Statement[] {
  const sums = new Map<string, { submissions: number; bytes: number; deposits: number }>();
  const computeSum = (rollup: string) => {
    const known = sums.get(rollup) ?? { submissions: 0, bytes: 0, deposits: 0 };
    sums.set(rollup, known);
    return known;
  };
  const rows = submissions.map(({ rollup, hash, size, transaction }): Value[] => {
    const sum = computeSum(rollup);
    sum.bytes += size;
    sum.submissions += 1;
    return [rollup, height, sum.submissions - 1, hash, size, transaction];
  });
  for (const { rollup } of deposits) computeSum(rollup).deposits += 1;
  const counts = [...sums].map(([rollup, sum]) => [rollup, height, sum.submissions, sum.bytes, sum.deposits]);
  const added = ['submissions', 'bytes', 'deposits'].map((name) => `${name} = rollups.${name} + excluded.${name}`);
  return [
    ...insert('submissions', ['rollup', 'height', 'position', 'hash', 'size', 'transaction_position'], rows),
    ...insert('block_rollups', ['rollup', 'height', 'submissions', 'bytes', 'deposits'], counts),
    ...insert(
      'rollups',
      ['rollup', 'first_height', 'last_height', 'submissions', 'bytes', 'deposits'],
      counts.map(([rollup = '', ...rest]) => [rollup, height, ...rest]),
      `ON CONFLICT (rollup) DO UPDATE SET last_height = excluded.last_height, ${added.join(', ')}`,
    ),
  ];
}

function depositRows({ height, deposits }: BlockFacts): Statement[] {
  const rows = deposits.map(({ transaction: transactionHash, ...each }, position) => {
    return { ...each, height, position, transactionHash };
  });
  return insertRecords('deposits', rows);
}

/** An account may be a bridge account from genesis on, and is then known by its first deposit. */
function bridgeRows({ height, bridges, deposits }: BlockFacts): Statement[] {
  const known = new Map<string, Value[]>();
  for (const { account, rollup, asset, transaction } of bridges) {
    known.set(account, [account, rollup, asset, height, transaction, 0, 0]);
  }
  for (const { bridge, rollup, asset } of deposits) {
    const row = known.get(bridge) ?? [bridge, rollup, asset, height, '', 0, 0];
    row[5] = Number(row[5]) + 1;
    known.set(bridge, row);
  }
  const columns = ['account', 'rollup', 'asset', 'height', 'transaction_hash', 'deposits', 'withdrawals'];
  const conflict = 'ON CONFLICT (account) DO UPDATE SET deposits = bridges.deposits + excluded.deposits';
  return insert('bridges', columns, [...known.values()], conflict);
}

function withdrawalRows({ height, withdrawals }: BlockFacts): Statement[] {
  const rows = withdrawals.map(({ transaction: transactionHash, ...each }, position) => {
    return { ...each, height, position, transactionHash };
  });
  const counts = new Map<string, number>();
  for (const { bridge } of withdrawals) counts.set(bridge, (counts.get(bridge) ?? 0) + 1);
  return [
    ...insertRecords('withdrawals', rows),
    ...Array.from(counts, ([bridge, count]) => ({
      sql: 'UPDATE bridges SET withdrawals = withdrawals + ? WHERE account = ?',
      params: [count, bridge],
    })),
  ];
}

/** Which validators signed the block before, by the commit in this one. @param validators Those of that block, in order. */
export function commitRows({ lastCommit }: BlockFacts, validators: readonly Validator[]): Statement[] {
  if (lastCommit === undefined) return [];
  const { height, round, signed } = lastCommit;
  if (signed.length !== validators.length) {
    throw new Error(`the commit of block ${height}: expected ${validators.length} votes, got ${signed.length}`);
  }
  const absent = validators.filter((_, index) => signed[index] !== true).map(({ address }) => toHex(address));
  const rows = validators.map((each, index) =>
    toRecord(each, signed[index] === true ? 1 : 0, signed[index] === true ? 0 : 1),
  );
  const conflict =
    'ON CONFLICT (address) DO UPDATE SET signed = validators.signed + excluded.signed, missed = validators.missed + excluded.missed';
  return [
    {
      sql: 'UPDATE blocks SET round = ?, signed = ?, validators = ?, absent = ? WHERE height = ?',
      params: [round, signed.length - absent.length, signed.length, absent.join(','), height],
    },
    ...insertRecords('validators', rows, conflict),
  ];
}

/** The validators from now on if they changed, and the proposer of this block. */
export function validatorRows({ proposer }: BlockFacts, validators: readonly Validator[], changed: boolean) {
  const proposed = { sql: 'UPDATE validators SET proposed = proposed + 1 WHERE address = ?', params: [proposer] };
  if (!changed) return [proposed];
  const rows = validators.map((each) => toRecord(each, 0, 0));
  const conflict = 'ON CONFLICT (address) DO UPDATE SET power = excluded.power, active = 1';
  return [
    { sql: 'UPDATE validators SET active = 0', params: [] },
    ...insertRecords('validators', rows, conflict),
    proposed,
  ];
}

const toRecord = ({ address, publicKey, power }: Validator, signed: number, missed: number) => ({
  ...{ address: toHex(address), publicKey: toHex(publicKey), power, active: 1, proposed: 0, signed, missed },
});
