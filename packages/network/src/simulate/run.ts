import { createHash } from 'node:crypto';
import { type RollupClient, rollupClient, type SequencerClient, sequencerClient } from '@switchyard/client';
import { decodeRollupData, rollupIdFromName, txHashOf } from '@switchyard/protocol';
import { sleep, useTime } from '@switchyard/service';
import { MemoryDisk } from '@switchyard/storage';
import { alice, bob, carol, type DevAccount } from '../accounts/accounts.ts';
import { bridgeAccountOf } from '../accounts/bridges.ts';
import { makeDeposit } from '../deposit.ts';
import { Chance } from './chance.ts';
import { type FaultName, makeFaults } from './faults.ts';
import { type Sent, sendTransactions } from './load.ts';
import { BlockObserver, type Violation } from './observer.ts';
import { type Composition, QUEUE_CAPACITY, SimulatedStack } from './stack.ts';
import { SimulatedTime } from './time.ts';
import { CALM, SimulatedWays } from './ways.ts';
import type { Workload } from './workload.ts';

export interface RunOptions {
  readonly composition: Composition;
  readonly workload: Workload;
  readonly seed: number;
  /** Blocks of the sequencer during which there are faults and transactions. */
  readonly heights: number;
  readonly faults: readonly FaultName[];
  readonly directory: string;
  /** Takes one line about each fault and each violation. */
  readonly note?: (line: string) => void;
}

export interface RunResult {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly faults: number;
  readonly sent: number;
  readonly acknowledged: number;
  readonly deposits: number;
  readonly blocks: number;
  /** Time that has passed in the simulation, in milliseconds. */
  readonly simulatedMs: number;
  readonly events: number;
  /** Over all events and all blocks: the same for the same seed. */
  readonly trace: string;
  /** Newest log lines of each part, where there are violations. */
  readonly logs: Readonly<Record<string, readonly string[]>>;
}

/** 2026-01-01, in milliseconds since 1970. */
const BEGINNING_MS = 1_767_225_600_000;
const BLOCK_MS = 100;
const SENDERS: readonly DevAccount[] = [alice, bob, carol];
const LOOK_MS = 250;
/** Between the last fault and the moment at which everything has to be ready, and everything acknowledged in a block. */
const RECOVERY_MS = 120_000;
/** Faults leave time for blocks: no seed takes longer, for each height and in all besides. */
const LONGEST_MS = { each: 5_000, besides: 600_000 } as const;

/** Runs a network through one seed of faults. To be called in a process, or a thread, in which nothing else happens. */
export async function runSeed(options: RunOptions): Promise<RunResult> {
  const { seed, composition, directory } = options;
  const hash = createHash('sha256');
  let events = 0;
  const time = new SimulatedTime({
    unixMs: BEGINNING_MS,
    chance: new Chance(seed, 'time'),
    onEvent(now, order) {
      events += 1;
      hash.update(`${now} ${order} `);
    },
  });
  const giveBack = useTime(time);
  const ways = new SimulatedWays(time, new Chance(seed, 'ways'));
  const diskChance = new Chance(seed, 'disk');
  const flushMs = () => (diskChance.happens(0.05) ? diskChance.integer(20, 300) : diskChance.integer(1, 10));
  const run: Run = { options, time, ways, violations: [], failingDisks: new Set(), faults: 0, deposits: 0, sent: [] };
  const stack = await SimulatedStack.create(
    composition,
    { directory, time, ways, blockIntervalMs: BLOCK_MS, onFailure: (label, code) => failed(run, stack, label, code) },
    (onCommit) => new MemoryDisk({ clock: time, flushMs, onCommit }),
  );
  const outcome: { blocks?: number; error?: unknown } = {};
  const onUnhandled = (error: unknown) => report(run, { rule: 'no unhandled error', detail: stackOf(error) });
  process.on('unhandledRejection', onUnhandled);
  process.on('uncaughtException', onUnhandled);
  scenario(run, stack).then(
    (blocks) => {
      outcome.blocks = blocks;
    },
    (error: unknown) => {
      outcome.error = error;
    },
  );
  const longestMs = LONGEST_MS.besides + LONGEST_MS.each * options.heights;
  const isOver = await time.pass(longestMs, () => outcome.blocks !== undefined || outcome.error !== undefined);
  if (!isOver) report(run, { rule: 'progress', detail: `not over after ${longestMs} ms` });
  if (outcome.error !== undefined) report(run, { rule: 'the run', detail: stackOf(outcome.error) });
  const logs = run.violations.length === 0 ? [] : stack.labels.map((label) => [label, stack.lines(label)] as const);
  const { sent, violations, faults } = run;
  const simulatedMs = time.now();
  stack.close();
  // The code of parts that were killed ends by itself, at the latest when its time is over.
  await time.pass(simulatedMs + 60_000);
  process.off('unhandledRejection', onUnhandled);
  process.off('uncaughtException', onUnhandled);
  giveBack();
  return {
    ...{ seed, violations, faults, events, simulatedMs },
    sent: sent.length,
    deposits: run.deposits,
    acknowledged: sent.filter(({ isAcknowledged }) => isAcknowledged).length,
    blocks: outcome.blocks ?? 0,
    trace: hash.update(JSON.stringify(violations)).digest('hex'),
    logs: Object.fromEntries(logs),
  };
}

interface Run {
  readonly options: RunOptions;
  readonly time: SimulatedTime;
  readonly ways: SimulatedWays;
  readonly violations: Violation[];
  readonly failingDisks: Set<string>;
  readonly sent: Sent[];
  faults: number;
  deposits: number;
}

const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

function report({ violations, options, time }: Run, violation: Violation): void {
  violations.push(violation);
  options.note?.(`${time.now()} ms: violation: ${violation.rule}: ${violation.detail}`);
}

/** A part has ended by itself, and is started again as a supervisor would. */
function failed(run: Run, stack: SimulatedStack, label: string, code: number): void {
  if (!run.failingDisks.has(label)) {
    const detail = `${label} ended with ${code}: ${stack.lines(label).at(-1) ?? ''}`;
    report(run, { rule: 'no part ends by itself', detail });
  }
  run.time.after(1_000, () => stack.start(label));
}

/** Everything that happens in one run. @returns the number of blocks of the sequencer. */
async function scenario(run: Run, stack: SimulatedStack): Promise<number> {
  const { options, time, ways } = run;
  const { seed, heights, workload, faults: kinds } = options;
  const { links, rpcUrl, grpcUrl } = {
    links: stack.outside,
    rpcUrl: stack.urlOf('sequencer', 'rpc'),
    grpcUrl: stack.urlOf('sequencer', 'grpc'),
  };
  const sequencer = sequencerClient({ rpcUrl, grpcUrl, links });
  const clients = new Map(
    stack.nodes.map((node) => [node, rollupClient({ url: stack.urlOf(node, 'http'), fetch: stack.outside.fetch })]),
  );
  const observer = new BlockObserver((violation) => report(run, violation));
  for (const label of stack.labels) stack.start(label);
  await becomeReady(run, stack);

  const client = clients.get(stack.rollup) ?? missing();
  const { chainId } = await client.status();
  const [loading, failing] = [new AbortController(), new AbortController()];
  const { signal } = loading;
  const load = SENDERS.map((account) => {
    const chance = new Chance(seed, account.name);
    const make = workload.transaction;
    return sendTransactions({ client, chainId, account, make, chance, pauseMs: 600, signal }, run.sent);
  });
  const { depositor } = workload;
  const deposits = depositor && makeDeposits(stack, depositor, new Chance(seed, 'deposits'), signal);
  const looks = [...clients].map(([node, each]) => observer.follow(node, each, LOOK_MS, signal));
  const queue = watchQueue(run, stack, signal);
  const faults = makeFaults({
    ...{ stack, ways, time, kinds, signal: failing.signal, failingDisks: run.failingDisks },
    chance: new Chance(seed, 'faults'),
    note(line) {
      run.faults += 1;
      options.note?.(`${time.now()} ms: ${line}`);
    },
    onPowerLoss: (label) => observer.lostPower(label),
  });
  while ((await sequencer.latestHeight().catch(() => 0n)) < BigInt(heights)) await sleep(500);
  failing.abort();
  await faults;
  ways.weather = CALM;
  for (const label of stack.labels) stack.start(label);
  await becomeReady(run, stack);
  await takeMore(run);
  loading.abort();
  await Promise.all([...load, ...looks, deposits, queue]);

  await isExecuted(run, client);
  const height = await sequencer.latestHeight();
  await inSequence(run, stack, { sequencer, client, height });
  for (const detail of (await workload.check?.(client)) ?? []) report(run, { rule: 'the rules of the rollup', detail });
  await sameBlocks(clients, observer);
  sequencer.close();
  return Number(height);
}

function missing(): never {
  throw new Error('there is no such part');
}

/** Asks again and again. @returns whether it came true in time. */
async function comesTrue(run: Run, isTrue: () => Promise<boolean>): Promise<boolean> {
  const end = run.time.now() + RECOVERY_MS;
  while (run.time.now() < end) {
    if (await isTrue()) return true;
    await sleep(200);
  }
  return false;
}

async function becomeReady(run: Run, stack: SimulatedStack): Promise<void> {
  const waiting = new Set(stack.labels);
  await comesTrue(run, async () => {
    for (const label of waiting) if (await stack.isReady(label)) waiting.delete(label);
    return waiting.size === 0;
  });
  for (const label of waiting) {
    report(run, { rule: 'ready again', detail: `${label}: ${stack.lines(label).at(-1) ?? 'no line'}` });
  }
}

/** Everybody who has sent something can send more. */
async function takeMore(run: Run): Promise<void> {
  const acknowledged = (account: string) => run.sent.filter((each) => each.account === account && each.isAcknowledged);
  const before = new Map(SENDERS.map(({ name }) => [name, acknowledged(name).length]));
  const waiting = new Set([...before].flatMap(([name, count]) => (count > 0 ? [name] : [])));
  await comesTrue(run, async () => {
    for (const name of waiting) if (acknowledged(name).length > (before.get(name) ?? 0)) waiting.delete(name);
    return waiting.size === 0;
  });
  for (const name of waiting) report(run, { rule: 'serves again', detail: `nothing of ${name} is taken any more` });
}

/** The composer's queue never holds more than it may. */
async function watchQueue(run: Run, stack: SimulatedStack, signal: AbortSignal): Promise<void> {
  const url = `${stack.urlOf('composer', 'health')}/status`;
  while (!signal.aborted) {
    const answer = await stack.outside.fetch(url).catch(() => undefined);
    const { queuedItems = 0 } = ((await answer?.json()) ?? {}) as { readonly queuedItems?: number };
    if (queuedItems > QUEUE_CAPACITY) {
      report(run, { rule: 'queues are bounded', detail: `composer: ${queuedItems} of ${QUEUE_CAPACITY} submissions` });
    }
    await sleep(LOOK_MS, signal).catch(() => undefined);
  }
}

/** Whatever was acknowledged is in a block, which is firm. */
async function isExecuted(run: Run, client: RollupClient): Promise<void> {
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
async function inSequence(run: Run, stack: SimulatedStack, { sequencer, client, height }: Chains): Promise<void> {
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
  const credited: string[] = [];
  for (let before: bigint | undefined, isFirst = true; isFirst || before !== undefined; isFirst = false) {
    const page: Awaited<ReturnType<typeof client.deposits>> = await client.deposits(
      before === undefined ? {} : { before },
    );
    for (const { amount, sourceTransaction, sourceAction, account } of page.items) {
      if (account !== undefined) credited.unshift(`${amount} of ${sourceTransaction}, action ${sourceAction}`);
    }
    before = page.older;
  }
  run.deposits = credited.length;
  if (locked.join('\n') !== credited.join('\n')) {
    report(run, { rule: 'deposits once', detail: `locked ${locked.join('; ')}, credited ${credited.join('; ')}` });
  }
}

/** Locks amounts for an account of the rollup, one after the other. */
async function makeDeposits(stack: SimulatedStack, to: DevAccount, chance: Chance, signal: AbortSignal): Promise<void> {
  const { chainId, asset, rollup, outside: links } = stack;
  const bridge = bridgeAccountOf(rollup);
  const bridgeFacts = { chainId, asset, bridge, links, rpcUrl: stack.urlOf('sequencer', 'rpc') };
  while (!signal.aborted) {
    const deposit = { rollup, to: to.address, amount: BigInt(chance.integer(1, 1_000)) };
    // Nobody knows what became of one that failed: the sequencer's blocks show it.
    await makeDeposit(deposit, bridgeFacts).catch(() => undefined);
    await sleep(chance.integer(1, 2_000), signal).catch(() => undefined);
  }
}

/** All nodes of the rollup have the same blocks, which are those that were seen before. */
async function sameBlocks(clients: ReadonlyMap<string, RollupClient>, observer: BlockObserver): Promise<void> {
  const heads = await Promise.all([...clients.values()].map(async (client) => (await client.status()).soft));
  const least = heads.reduce((one, other) => (one < other ? one : other));
  const signal = new AbortController().signal;
  for (const [node, client] of clients) {
    await observer.look(node, client, signal);
    for (let before: bigint | undefined = least + 1n; before !== undefined; ) {
      const page = await client.blocks({ before, limit: 100 });
      for (const { number, hash } of page.items) observer.see(node, number, hash);
      before = page.older;
    }
  }
}
