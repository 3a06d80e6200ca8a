import { sequencerClient } from '@switchyard/client';
import { sleep } from '@switchyard/service';
import type { DevAccount } from '../accounts/accounts.ts';
import { bridgeAccountOf } from '../accounts/bridges.ts';
import { makeDeposit } from '../deposit.ts';
import { inOneBlock, sendBundles } from './bundles.ts';
import { Chance } from './chance.ts';
import { makeClaims, paidOnce } from './claims.ts';
import { makeFaults } from './faults.ts';
import { sendTransactions } from './load.ts';
import { BlockObserver } from './observer.ts';
import { becomeReady, LOOK_MS, type Run, report, takeMore, watchQueue } from './progress.ts';
import { allFollow, inSequence, isExecuted, sameBlocks } from './rules.ts';
import type { SimulatedStack } from './stack.ts';
import { CALM } from './ways.ts';
import { makeWithdrawals, withdrawnOnce } from './withdrawals.ts';

/** Everything that happens in one run. @returns the number of blocks of the sequencer. */
export async function scenario(run: Run, stack: SimulatedStack): Promise<number> {
  const { options, time, ways } = run;
  const { seed, heights, rollup, faults: kinds } = options;
  const sequencer = sequencerClient({
    rpcUrl: stack.urlOf('sequencer', 'rpc'),
    grpcUrl: stack.urlOf('sequencer', 'grpc'),
    links: stack.outside,
  });
  const nodes = new Map(stack.nodes.map((label) => [label, rollup.node(stack.accessTo(label))]));
  const observer = new BlockObserver((violation) => report(run, violation));
  for (const label of stack.labels) stack.start(label);
  await becomeReady(run, stack);

  const node = nodes.get(stack.rollup) ?? missing();
  const chainId = await node.chainId();
  const [loading, failing] = [new AbortController(), new AbortController()];
  const { signal } = loading;
  const load = rollup.senders.map((account) => {
    const chance = new Chance(seed, account.name);
    return sendTransactions({ rollup, node, chainId, account, chance, pauseMs: 600, signal }, run.sent);
  });
  const { depositor } = rollup;
  const deposits = depositor && makeDeposits(stack, depositor, new Chance(seed, 'deposits'), signal);
  const claims = makeClaims(run, stack, new Chance(seed, 'claims'), signal);
  const withdrawals = makeWithdrawals(run, stack, { node, chainId }, new Chance(seed, 'withdrawals'), signal);
  const bundles = sendBundles(run, stack, new Chance(seed, 'bundles'), signal);
  const looks = [...nodes].map(([label, each]) => observer.follow(label, each, LOOK_MS, signal));
  const queue = watchQueue(run, stack, signal);
  const faults = makeFaults({
    ...{ stack, ways, time, kinds, signal: failing.signal, failingDisks: run.failingDisks },
    chance: new Chance(seed, 'faults'),
    note(line) {
      run.faults += 1;
      options.note?.(`${time.now()} ms: ${line}`);
    },
    onUndone(label, by) {
      if (by === 'copy' || !rollup.flushesCommits) observer.mayGoBack(label);
    },
  });
  while ((await sequencer.latestHeight().catch(() => 0n)) < BigInt(heights)) await sleep(500);
  failing.abort();
  await faults;
  ways.weather = CALM;
  for (const label of stack.labels) stack.start(label);
  await becomeReady(run, stack);
  await takeMore(run, rollup.senders);
  loading.abort();
  await Promise.all([...load, ...looks, deposits, claims, withdrawals, bundles, queue]);

  await isExecuted(run, node);
  const height = await sequencer.latestHeight();
  await inSequence(run, stack, { sequencer, node, height });
  await inOneBlock(run, stack, sequencer, await bundles);
  await paidOnce(run, stack, await claims);
  await withdrawnOnce(run, stack, sequencer);
  for (const detail of await rollup.check(stack.accessTo(stack.rollup)))
    report(run, { rule: 'the rules of the rollup', detail });
  await allFollow(run, nodes, (await node.heads()).soft);
  await sameBlocks(run, nodes, observer);
  sequencer.close();
  return Number(height);
}

function missing(): never {
  throw new Error('there is no such part');
}

/** Locks amounts for an account of the rollup, one after the other. */
async function makeDeposits(stack: SimulatedStack, to: DevAccount, chance: Chance, signal: AbortSignal): Promise<void> {
  const { chainId, asset, rollup, outside: links } = stack;
  const bridge = bridgeAccountOf(rollup);
  const bridgeFacts = { chainId, asset, bridge, links, rpcUrl: stack.urlOf('sequencer', 'rpc') };
  while (!signal.aborted) {
    const deposit = { rollup, to: to.address, amount: BigInt(chance.integer(1, 1_000)) };
    // One that failed may have been made: the sequencer's blocks show it.
    await makeDeposit(deposit, bridgeFacts).catch(() => undefined);
    await sleep(chance.integer(1, 2_000), signal).catch(() => undefined);
  }
}
