import { sequencerClient } from '@switchyard/client';
import { anySignal, sleep } from '@switchyard/service';
import { makeDeposit } from '../deposit.ts';
import type { ActivityFacts } from './activity.ts';
import { makeFaults } from './faults.ts';
import { sendTransactions } from './load.ts';
import { BlockObserver } from './observer.ts';
import { becomeReady, comesTrue, end, LOOK_MS, type Run, report, takeMore, takeSteps, watchQueue } from './progress.ts';
import { allFollow, inSequence, isExecuted, sameBlocks } from './rules.ts';
import type { SimulatedStack } from './stack.ts';
import { CALM } from './ways.ts';

/** Everything that happens in one run. @returns the number of blocks of the sequencer. */
export async function scenario(run: Run, stack: SimulatedStack): Promise<number> {
  const { options, time, ways } = run;
  const { heights, rollup } = options;
  const sequencer = sequencerClient({
    rpcUrl: stack.makeUrl('sequencer', 'rpc'),
    grpcUrl: stack.makeUrl('sequencer', 'grpc'),
    links: stack.outside,
  });
  const nodes = new Map(stack.nodes.map((label) => [label, rollup.api.node(stack.accessTo(label))]));
  const observer = new BlockObserver((violation) => end(run, violation));
  for (const label of stack.labels) stack.start(label);
  await becomeReady(run, stack);

  const node = nodes.get(stack.rollup) ?? missing();
  const chainId = await node.chainId();
  const [loading, failing] = [new AbortController(), new AbortController()];
  const signal = anySignal(loading.signal, run.over.signal);
  const load = rollup.senders.map((account) => sendTransactions({ run, node, chainId, account, signal }));
  const facts = factsFor(run, stack, { sequencer, node, chainId, signal });
  const deposits = makeDeposits(run, facts);
  const activity = rollup.activity?.(facts);
  const looks = [...nodes].map(([label, each]) => observer.follow(label, each, LOOK_MS, signal));
  const queue = watchQueue(run, stack, signal);
  const faults = makeFaults({
    ...{ run, stack, signal: anySignal(failing.signal, run.over.signal) },
    note(line) {
      run.faults += 1;
      options.note?.(`${time.now()} ms: ${line}`);
    },
    onUndone(label, by) {
      if (by === 'copy' || rollup.api.flushesCommits !== true) observer.mayGoBack(label);
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
  await Promise.all([...load, ...looks, deposits, activity, queue]);

  await isExecuted(run, node);
  const height = await sequencer.latestHeight();
  await inSequence(run, stack, { sequencer, node, height });
  run.activity = (await (await activity)?.()) ?? {};
  for (const detail of (await rollup.check?.(stack.accessTo(stack.rollup))) ?? [])
    report(run, { rule: 'the rules of the rollup', detail });
  await allFollow(run, nodes, (await node.heads()).soft);
  await sameBlocks(run, nodes, observer);
  sequencer.close();
  return Number(height);
}

function missing(): never {
  throw new Error('there is no such part');
}

function factsFor(
  run: Run,
  stack: SimulatedStack,
  given: Pick<ActivityFacts, 'sequencer' | 'node' | 'chainId' | 'signal'>,
): ActivityFacts {
  const { chainId, asset: feeAsset, rollup, bridges, outside: links } = stack;
  const bridgeFacts = { chainId, feeAsset, bridges, links, rpcUrl: stack.makeUrl('sequencer', 'rpc') };
  return {
    ...{ ...given, rollup, links, bridge: bridges[0].address },
    makeUrl: (label, listener) => stack.makeUrl(label, listener),
    deposit: (to, amount) => makeDeposit({ rollup, to, amount }, bridgeFacts),
    takeSteps: (kind, pause, take) => takeSteps(run, kind, pause, given.signal, take),
    comesTrue: (isTrue) => comesTrue(run, isTrue),
    report: (violation) => report(run, violation),
  };
}

/** Locks amounts for an account of the rollup, one after the other. */
async function makeDeposits(run: Run, { takeSteps, deposit }: ActivityFacts): Promise<void> {
  const { depositor: to } = run.options.rollup;
  if (to === undefined) return;
  await takeSteps('deposit', [1, 2_000], async ({ chance, describe }) => {
    const amount = BigInt(chance.integer(1, 1_000));
    describe(`${amount} for ${to.name}`);
    // A failed one may have been made: the sequencer's blocks show it.
    await deposit(to.address, amount).catch(() => undefined);
  });
}
