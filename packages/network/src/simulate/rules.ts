import type { SequencerClient } from '@switchyard/client';
import { decodeRollupData, rollupIdFromName, txHashOf } from '@switchyard/protocol';
import type { BlockObserver } from './observer.ts';
import { comesTrue, lateOnes, type Run, report } from './progress.ts';
import type { RollupNode } from './rollup-api.ts';
import type { Sent } from './sent.ts';
import type { SimulatedStack } from './stack.ts';

/* Rules that hold at the end of a run, when everything is ready again. */

/** Every acknowledged submission is in a firm block. */
export async function isExecuted(run: Run, node: RollupNode): Promise<void> {
  const waiting = new Set(run.sent.filter(({ isAcknowledged }) => isAcknowledged));
  const states = new Map<Sent, string>();
  await comesTrue(run, async () => {
    for (const each of waiting) {
      const state = await node.findState(each.hash).catch(() => 'unknown');
      states.set(each, state);
      const isOutcome = state === 'firm' || (state === 'refused' && run.options.rollup.mayRefuse);
      if (!isOutcome && !(await isOvertaken(node, each, state))) break;
      waiting.delete(each);
    }
    return waiting.size === 0;
  });
  for (const each of waiting) {
    const { hash, account, nonce } = each;
    const detail = `${account} ${nonce} (${hash}) is ${states.get(each) ?? 'not asked for'}`;
    report(run, { rule: 'acknowledged is firm', detail });
  }
}

/** It is recorded as such, and the other transaction with its nonce is firm. */
async function isOvertaken(node: RollupNode, { rival }: Sent, state: string): Promise<boolean> {
  if (rival === undefined || !['replaced', 'refused'].includes(state)) return false;
  return (await node.findState(rival.hash).catch(() => 'unknown')) === 'firm';
}

interface Chains {
  readonly sequencer: SequencerClient;
  readonly node: RollupNode;
  /** Newest block of the sequencer. */
  readonly height: bigint;
}

/** No transaction of the rollup is in the sequencer's blocks after it was executed, or twice, and the rollup has each deposit in them once. */
export async function inSequence(run: Run, stack: SimulatedStack, { sequencer, node, height }: Chains): Promise<void> {
  const rollup = rollupIdFromName(stack.rollup);
  const found = new Map<string, bigint>();
  const locked: string[] = [];
  for (let at = 1n; at <= height; at += 1n) {
    const { rollups } = await sequencer.filteredBlock(at, rollup);
    for (const bytes of rollups.find((each) => each.rollup === rollup)?.transactions ?? []) {
      const entry = decodeRollupData(bytes);
      if (entry.kind === 'deposit') {
        locked.push(run.options.rollup.api.depositLine(entry.deposit, at));
      }
      if (entry.kind !== 'sequencedData') continue;
      const hash = txHashOf(entry.data);
      const before = found.get(hash);
      // A block may have refused it for a nonce that was still missing: it keeps its own, and is submitted again.
      if (before !== undefined && (await node.findExecuted?.(hash)) !== at) {
        report(run, { rule: 'sequenced once', detail: `${hash} is in block ${before} and in block ${at}` });
      }
      found.set(hash, at);
    }
  }
  const credited = await node.credited();
  run.deposits = credited.length;
  if (locked.join('\n') !== credited.join('\n')) {
    report(run, { rule: 'deposits once', detail: `locked ${locked.join('; ')}, credited ${credited.join('; ')}` });
  }
}

/** Every node of the rollup reaches the height of one of them. */
export async function allFollow(run: Run, nodes: ReadonlyMap<string, RollupNode>, soft: bigint): Promise<void> {
  const late = await lateOnes(run, nodes, async ([, node]) => {
    const heads = await node.heads().catch(() => undefined);
    return heads !== undefined && heads.soft >= soft;
  });
  for (const [label] of late) report(run, { rule: 'follows again', detail: `${label}: not at block ${soft}` });
}

/** All nodes of the rollup have the same blocks, equal to the ones seen before. */
export async function sameBlocks(
  run: Run,
  nodes: ReadonlyMap<string, RollupNode>,
  observer: BlockObserver,
): Promise<void> {
  const heads = await Promise.all([...nodes.values()].map(async (node) => (await node.heads()).soft));
  const least = heads.reduce((one, other) => (one < other ? one : other));
  const signal = new AbortController().signal;
  for (const [label, node] of nodes) {
    await observer.look(label, node, signal);
    for await (const { number, hash } of node.blocks(least)) {
      observer.see(label, number, hash);
      run.trace.update(hash);
    }
  }
}
