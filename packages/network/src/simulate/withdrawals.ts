import type { SequencerClient } from '@switchyard/client';
import { type Action, decodeTransaction, encodeTransactionBody, formatAddress } from '@switchyard/protocol';
import { sleep } from '@switchyard/service';
import { alice } from '../accounts/accounts.ts';
import { bridgeAccountOf } from '../accounts/bridges.ts';
import { makeDeposit } from '../deposit.ts';
import type { Chance } from './chance.ts';
import { comesTrue, type Run, report } from './progress.ts';
import type { RollupNode } from './simulated-rollup.ts';
import type { SimulatedStack } from './stack.ts';

const RULE = 'withdrawals are paid once';
const AGAIN_MS = 500;
/** Far more than is withdrawn. */
const FUNDS = 10_000_000n;
/** Above the minimum of new genesis files. */
const [LEAST, MOST] = [100, 1_000];

/** Withdraws one amount after the other, where the rollup has a withdrawer. */
export async function makeWithdrawals(
  { options: { rollup } }: Run,
  stack: SimulatedStack,
  { node, chainId }: { readonly node: RollupNode; readonly chainId: string },
  chance: Chance,
  signal: AbortSignal,
): Promise<void> {
  const { exit } = rollup;
  if (stack.withdrawer === undefined || exit === undefined) return;
  const { account, transaction } = exit;
  await fund(stack, account.address, signal);
  for (let nonce = 0; !signal.aborted; ) {
    const bytes = transaction({
      account,
      nonce,
      chainId,
      amount: BigInt(chance.integer(LEAST, MOST)),
      to: alice.address,
    });
    const hash = rollup.hashOf(bytes);
    let submitted = await node.submit(bytes, signal);
    while (submitted === 'again' && !signal.aborted) {
      await sleep(AGAIN_MS, signal).catch(() => undefined);
      submitted = await node.submit(bytes, signal);
    }
    // The next nonce is known when this one is in a block.
    for (let state = 'unknown'; !signal.aborted && state !== 'executed' && state !== 'included' && state !== 'firm'; ) {
      await sleep(chance.integer(1, AGAIN_MS), signal).catch(() => undefined);
      state = await node.stateOf(hash).catch(() => 'unknown');
    }
    nonce += 1;
  }
}

/** One deposit from which everything is withdrawn. */
async function fund(stack: SimulatedStack, to: string, signal: AbortSignal): Promise<void> {
  const { chainId, asset, rollup, outside: links } = stack;
  const facts = { chainId, asset, bridge: bridgeAccountOf(rollup), links, rpcUrl: stack.urlOf('sequencer', 'rpc') };
  while (!signal.aborted) {
    const made = await makeDeposit({ rollup, to, amount: FUNDS }, facts).catch(() => undefined);
    // One that failed may have been made: more of them do no harm.
    if (made !== undefined) return;
    await sleep(AGAIN_MS, signal).catch(() => undefined);
  }
}

/** Each withdrawal of the rollup is paid by one action on the sequencer, with its amount less the fee, and nothing else is. */
export async function withdrawnOnce(run: Run, stack: SimulatedStack, sequencer: SequencerClient): Promise<void> {
  if (stack.withdrawer === undefined) return;
  const wanted = await run.options.rollup.withdrawn(stack.accessTo(stack.rollup));
  await comesTrue(run, async () => {
    const { open, paid } = await statusOf(stack);
    return open === 0 && paid >= wanted.length;
  });
  const paid = await unlocksOf(sequencer, bridgeAccountOf(stack.rollup).address);
  const fee = await feeOf(sequencer, paid.slice(0, 1));
  const left = new Map<string, bigint[]>();
  for (const { withdrawalEvent, amount } of paid) {
    left.set(withdrawalEvent, [...(left.get(withdrawalEvent) ?? []), amount]);
  }
  for (const { eventId, amount } of wanted) {
    const found = left.get(eventId) ?? [];
    left.delete(eventId);
    if (found.length === 1 && found[0] === amount - fee) continue;
    report(run, { rule: RULE, detail: `${eventId} of ${amount} is paid ${found.length} times: ${found.join(', ')}` });
  }
  for (const eventId of left.keys()) report(run, { rule: RULE, detail: `${eventId} is paid and was not withdrawn` });
  const isBalanced = await comesTrue(run, async () => (await statusOf(stack)).sheet?.isBalanced === true);
  if (!isBalanced) report(run, { rule: RULE, detail: `no balanced sheet: ${JSON.stringify(await statusOf(stack))}` });
  run.withdrawals = wanted.length;
}

interface Status {
  readonly open: number;
  readonly paid: number;
  readonly sheet: { readonly isBalanced: boolean } | null;
}

const UNKNOWN: Status = { open: -1, paid: 0, sheet: null };

async function statusOf(stack: SimulatedStack): Promise<Status> {
  const url = `${stack.urlOf(stack.withdrawer ?? '', 'http')}/status`;
  const answer = await stack.outside.fetch(url).catch(() => undefined);
  return answer?.ok === true ? ((await answer.json()) as Status) : UNKNOWN;
}

type Unlock = Extract<Action, { readonly kind: 'bridgeUnlock' }>;

/** Fees of a transaction with these actions. */
async function feeOf(sequencer: SequencerClient, actions: readonly Action[]): Promise<bigint> {
  if (actions.length === 0) return 0n;
  const fees = await sequencer.fee(encodeTransactionBody({ nonce: 0, chainId: '', actions }));
  return fees.reduce((sum, { amount }) => sum + amount, 0n);
}

/** Payments of a bridge account in all blocks, of transactions that were executed. */
async function unlocksOf(sequencer: SequencerClient, bridge: string): Promise<readonly Unlock[]> {
  const found: Unlock[] = [];
  const latest = await sequencer.latestHeight();
  for (let height = 1n; height <= latest; height += 1n) {
    const [executed] = await sequencer.executedBlocks([height]);
    for (const [index, bytes] of (executed?.block.txs ?? []).entries()) {
      const actions = executed?.results[index]?.code === 0 ? actionsOf(bytes) : [];
      for (const action of actions) {
        if (action.kind === 'bridgeUnlock' && formatAddress(action.bridge.account) === bridge) found.push(action);
      }
    }
  }
  return found;
}

/** The first two entries of a block are roots, and no transactions. */
function actionsOf(bytes: Uint8Array): readonly Action[] {
  try {
    return decodeTransaction(bytes, () => true).actions;
  } catch {
    return [];
  }
}
