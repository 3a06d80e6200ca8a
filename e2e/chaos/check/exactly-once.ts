import { type History, isAcknowledged } from '../history.ts';
import { groupBy } from './group.ts';
import type { Execution, Observed, Violation } from './observed.ts';

type Seen = Pick<
  Observed,
  'executions' | 'sequenced' | 'postponed' | 'genesisHeight' | 'texts' | 'executedInAll' | 'deposits'
>;

/** Acknowledged means: executed exactly once, or recorded as refused with a reason. Nothing else may be there either. */
export function checkExactlyOnce(
  { sent }: History,
  { executions, sequenced, postponed, genesisHeight, texts, executedInAll, deposits }: Seen,
): Violation[] {
  const found: Violation[] = [];
  const violated = (check: string, detail: string): void => void found.push({ check, detail });
  const byId = groupBy(executions, ({ id }) => id);

  for (const [id, transaction] of sent) {
    const { intent, from, nonce, gaveUp } = transaction;
    const who = `${intent.kind} ${id} of ${from}, nonce ${nonce}`;
    if (intent.kind === 'deposit') {
      if (isAcknowledged(transaction) && !deposits.has(id)) violated('lost', `${who}: acknowledged, in no block`);
      continue;
    }
    const seen = byId.get(id) ?? [];
    const executed = seen.filter(({ outcome }) => outcome === 'executed');
    if (isAcknowledged(transaction) && seen.length === 0) violated('lost', `${who}: acknowledged, in no block`);
    for (const { outcome, reason, block } of seen) {
      if (outcome === 'refused' && executed.length === 0 && !reason) violated('no-reason', `${who}: block ${block}`);
    }
    if (executed.length > 1)
      violated('executed-twice', `${who}: blocks ${executed.map(({ block }) => block).join(', ')}`);
    const heights = sequenced.get(id) ?? [];
    if (hasCopy(heights, (height) => postponed.get(id)?.has(height - genesisHeight) === true))
      violated('included-twice', `${who}: sequencer blocks ${heights.join(', ')}`);
    if (gaveUp && seen.length === 0)
      violated('unanswered', `${who}: ${transaction.answers.at(-1)?.detail ?? 'no answer'}`);
    if (intent.kind === 'text' && executed.length > 0 && texts.get(id) !== intent.text) {
      violated('changed', `${who}: sent ${JSON.stringify(intent.text)}, shown ${JSON.stringify(texts.get(id))}`);
    }
  }

  for (const { id, block, outcome } of executions) {
    if (outcome === 'executed' && !sent.has(id)) violated('unknown', `${id} in block ${block} was sent by no client`);
  }
  const distinct = new Set(executions.filter(({ outcome }) => outcome === 'executed').map(({ id }) => id)).size;
  if (distinct !== executedInAll) {
    violated('executed-count', `the blocks say that ${executedInAll} were executed, ${distinct} are known by their id`);
  }
  return [...found, ...checkOrder(sent, byId)];
}

/**
 * Whether a transaction was included although an earlier inclusion could still be executed, or was. Only the facts that the rollup
 * block of each earlier one has refused for now may be sent again, and that is known after that block at the earliest.
 *
 * @param heights In ascending order, one for each inclusion.
 */
function hasCopy(heights: readonly number[], isPostponedAt: (height: number) => boolean): boolean {
  return heights.some((height, index) => {
    const before = heights[index - 1];
    return before !== undefined && (before === height || !isPostponedAt(before));
  });
}

/** The transactions of one account are executed in the order of their nonces. */
function checkOrder(sent: History['sent'], byId: ReadonlyMap<string, readonly Execution[]>): Violation[] {
  const found: Violation[] = [];
  const accounts = groupBy(
    [...sent.values()].filter(({ intent }) => intent.kind !== 'deposit'),
    ({ from }) => from,
  );
  for (const [from, transactions] of accounts) {
    let last: { readonly nonce: number; readonly at: Execution } | undefined;
    for (const { id, nonce } of transactions.sort((a, b) => a.nonce - b.nonce)) {
      const at = byId.get(id)?.find(({ outcome }) => outcome === 'executed');
      if (at === undefined) continue;
      if (last !== undefined && isBefore(at, last.at)) {
        found.push({ check: 'order', detail: `${from}: nonce ${nonce} was executed before nonce ${last.nonce}` });
      }
      last = { nonce, at };
    }
  }
  return found;
}

function isBefore(a: Execution, b: Execution): boolean {
  if (a.block !== b.block) return a.block < b.block;
  return a.index !== undefined && b.index !== undefined && a.index < b.index;
}
