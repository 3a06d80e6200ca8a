import type { SequencerClient } from '@switchyard/client';
import { alice } from '@switchyard/network/accounts';
import type { ActivityFacts } from '@switchyard/network/simulate';
import { type Action, decodeTransaction, encodeTransactionBody, formatAddress } from '@switchyard/protocol';
import { sleep } from '@switchyard/service';
import type { House } from './house.ts';

const RULE = 'withdrawals are paid once';
const AGAIN_MS = 500;
/** Far more than is withdrawn. */
const FUNDS = 10_000_000n;
/** Above the minimum of new genesis files. */
const [LEAST, MOST] = [100, 1_000];

/** Withdraws one amount after the other. */
export async function makeWithdrawals({ exit, findHash }: House, facts: ActivityFacts): Promise<void> {
  const { node, chainId, signal } = facts;
  const { account, transaction } = exit;
  await fund(facts, account.address);
  let nonce = 0;
  await facts.takeSteps('withdrawal', [1, 1_000], async ({ chance }) => {
    const bytes = transaction({
      account,
      nonce,
      chainId,
      amount: BigInt(chance.integer(LEAST, MOST)),
      to: alice.address,
    });
    const hash = findHash(bytes);
    let submitted = await node.submit(bytes, signal);
    while (submitted === 'again' && !signal.aborted) {
      await sleep(AGAIN_MS, signal).catch(() => undefined);
      submitted = await node.submit(bytes, signal);
    }
    // The next nonce is known when this one is in a block.
    for (let state = 'unknown'; !signal.aborted && state !== 'executed' && state !== 'included' && state !== 'firm'; ) {
      await sleep(chance.integer(1, AGAIN_MS), signal).catch(() => undefined);
      state = await node.findState(hash).catch(() => 'unknown');
    }
    nonce += 1;
  });
}

/** One deposit from which everything is withdrawn. */
async function fund({ deposit, signal }: ActivityFacts, to: string): Promise<void> {
  while (!signal.aborted) {
    const made = await deposit(to, FUNDS).catch(() => undefined);
    // A failed one may have been made: more of them do no harm.
    if (made !== undefined) return;
    await sleep(AGAIN_MS, signal).catch(() => undefined);
  }
}

/** Each withdrawal of the rollup is paid by one action on the sequencer, with its amount less the fee, and nothing else is. @returns how many are. */
export async function withdrawnOnce(house: House, facts: ActivityFacts): Promise<number> {
  const { sequencer, links, makeUrl, rollup } = facts;
  const wanted = await house.withdrawn({ url: makeUrl(rollup, 'http'), links });
  await facts.comesTrue(async () => {
    const { open, paid } = await getStatus(facts);
    return open === 0 && paid >= wanted.length;
  });
  const paid = await getUnlocks(sequencer, facts.bridge);
  const fee = await getFee(sequencer, paid.slice(0, 1));
  const left = new Map<string, bigint[]>();
  for (const { withdrawalEvent, amount } of paid) {
    left.set(withdrawalEvent, [...(left.get(withdrawalEvent) ?? []), amount]);
  }
  for (const { eventId, amount } of wanted) {
    const found = left.get(eventId) ?? [];
    left.delete(eventId);
    if (found.length === 1 && found[0] === amount - fee) continue;
    facts.report({ rule: RULE, detail: `${eventId} of ${amount} is paid ${found.length} times: ${found.join(', ')}` });
  }
  for (const eventId of left.keys()) facts.report({ rule: RULE, detail: `${eventId} is paid and was not withdrawn` });
  const isBalanced = await facts.comesTrue(async () => (await getStatus(facts)).sheet?.isBalanced === true);
  if (!isBalanced) facts.report({ rule: RULE, detail: `no balanced sheet: ${JSON.stringify(await getStatus(facts))}` });
  return wanted.length;
}

interface Status {
  readonly open: number;
  readonly paid: number;
  readonly sheet: { readonly isBalanced: boolean } | null;
}

const UNKNOWN: Status = { open: -1, paid: 0, sheet: null };

async function getStatus({ rollup, links, makeUrl }: ActivityFacts): Promise<Status> {
  const answer = await links.fetch(`${makeUrl(`${rollup}-withdrawer`, 'http')}/status`).catch(() => undefined);
  return answer?.ok === true ? ((await answer.json()) as Status) : UNKNOWN;
}

type Unlock = Extract<Action, { readonly kind: 'bridgeUnlock' }>;

/** Fees of a transaction with these actions. */
async function getFee(sequencer: SequencerClient, actions: readonly Action[]): Promise<bigint> {
  if (actions.length === 0) return 0n;
  const fees = await sequencer.fee(encodeTransactionBody({ nonce: 0, chainId: '', actions }));
  return fees.reduce((sum, { amount }) => sum + amount, 0n);
}

/** Payments of a bridge account in all blocks, of transactions that were executed. */
async function getUnlocks(sequencer: SequencerClient, bridge: string): Promise<readonly Unlock[]> {
  const found: Unlock[] = [];
  const latest = await sequencer.latestHeight();
  for (let height = 1n; height <= latest; height += 1n) {
    const [executed] = await sequencer.executedBlocks([height]);
    for (const [index, bytes] of (executed?.block.txs ?? []).entries()) {
      const actions = executed?.results[index]?.code === 0 ? getActions(bytes) : [];
      for (const action of actions) {
        if (action.kind === 'bridgeUnlock' && formatAddress(action.bridge.account) === bridge) found.push(action);
      }
    }
  }
  return found;
}

/** The first two entries of a block are roots, and no transactions. */
function getActions(bytes: Uint8Array): readonly Action[] {
  try {
    return decodeTransaction(bytes, () => true).actions;
  } catch {
    return [];
  }
}
