import type { RollupClient, SequencerClient } from '@switchyard/client';
import { decodeRollupData, rollupIdFromName, txHashOf } from '@switchyard/protocol';
import { allDeposits } from './all-deposits.ts';
import type { Sent } from './load.ts';
import type { BlockObserver } from './observer.ts';
import { comesTrue, type Run, report } from './progress.ts';
import type { SimulatedStack } from './stack.ts';

/* Rules that hold at the end of a run, when everything is ready again. */

/** Whatever was acknowledged is in a block, which is firm. */
export async function isExecuted(run: Run, client: RollupClient): Promise<void> {
  const waiting = new Set(run.sent.filter(({ isAcknowledged }) => isAcknowledged));
  const states = new Map<Sent, string>();
  await comesTrue(run, async () => {
    for (const each of waiting) {
      const outcome = await client.transaction(each.hash).catch(() => undefined);
      states.set(each, outcome?.state ?? 'unknown');
      if (outcome?.state !== 'firm') break;
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

interface Chains {
  readonly sequencer: SequencerClient;
  readonly client: RollupClient;
  /** Newest block of the sequencer. */
  readonly height: bigint;
}

/** No transaction of the rollup is in the sequencer's blocks twice, and the rollup has each deposit that is there, once. */
export async function inSequence(
  run: Run,
  stack: SimulatedStack,
  { sequencer, client, height }: Chains,
): Promise<void> {
  const rollup = rollupIdFromName(stack.rollup);
  const found = new Map<string, bigint>();
  const locked: string[] = [];
  for (let at = 1n; at <= height; at += 1n) {
    const { rollups } = await sequencer.filteredBlock(at, rollup);
    for (const bytes of rollups.find((each) => each.rollup === rollup)?.transactions ?? []) {
      const entry = decodeRollupData(bytes);
      if (entry.kind === 'deposit') {
        const { sourceTransaction, sourceAction, amount } = entry.deposit;
        locked.push(`${amount} of ${sourceTransaction}, action ${sourceAction}`);
      }
      if (entry.kind !== 'sequencedData') continue;
      const hash = txHashOf(entry.data);
      const before = found.get(hash);
      if (before !== undefined) {
        report(run, { rule: 'sequenced once', detail: `${hash} is in block ${before} and in block ${at}` });
      }
      found.set(hash, at);
    }
  }
  const deposits = await allDeposits(client);
  const credited = deposits
    .filter(({ account }) => account !== undefined)
    .map(({ amount, sourceTransaction, sourceAction }) => `${amount} of ${sourceTransaction}, action ${sourceAction}`);
  run.deposits = credited.length;
  if (locked.join('\n') !== credited.join('\n')) {
    report(run, { rule: 'deposits once', detail: `locked ${locked.join('; ')}, credited ${credited.join('; ')}` });
  }
}

/** Every node of the rollup comes to where one of them is. */
export async function allFollow(run: Run, clients: ReadonlyMap<string, RollupClient>, soft: bigint): Promise<void> {
  const waiting = new Map(clients);
  await comesTrue(run, async () => {
    for (const [node, client] of waiting) {
      const status = await client.status().catch(() => undefined);
      if (status !== undefined && status.soft >= soft) waiting.delete(node);
    }
    return waiting.size === 0;
  });
  for (const node of waiting.keys()) report(run, { rule: 'follows again', detail: `${node}: not at block ${soft}` });
}

/** All nodes of the rollup have the same blocks, which are those that were seen before. */
export async function sameBlocks(
  run: Run,
  clients: ReadonlyMap<string, RollupClient>,
  observer: BlockObserver,
): Promise<void> {
  const heads = await Promise.all([...clients.values()].map(async (client) => (await client.status()).soft));
  const least = heads.reduce((one, other) => (one < other ? one : other));
  const signal = new AbortController().signal;
  for (const [node, client] of clients) {
    await observer.look(node, client, signal);
    for (let before: bigint | undefined = least + 1n; before !== undefined; ) {
      const page = await client.blocks({ before, limit: 100 });
      for (const { number, hash } of page.items) {
        observer.see(node, number, hash);
        run.trace.update(hash);
      }
      before = page.older;
    }
  }
}
