import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Availability, makeAvailability } from './availability.ts';
import { checkExactlyOnce } from './check/exactly-once.ts';
import { checkHeights } from './check/heights.ts';
import type { Violation } from './check/observed.ts';
import { checkPosted } from './check/posted.ts';
import { checkRecovery, type RecoveryRow, recoveryTable } from './check/recovery.ts';
import { checkValue } from './check/value.ts';
import { isAcknowledged, makeHistory } from './history.ts';
import { injectAll } from './inject.ts';
import { startLoad } from './load-process.ts';
import { FirmWatch } from './observe/firm.ts';
import { createObserver, GENESIS_HEIGHT } from './observe/observe.ts';
import { type ChaosOptions, oneOf } from './options.ts';
import { describeFault, type FaultKind, planFaults } from './plan.ts';
import { readLog } from './record.ts';
import { getResources, type Resources } from './resources.ts';
import { createStack, openBridge, type Stack } from './stack.ts';
import { Tool } from './tool.ts';
import { Watch } from './watch.ts';

export interface ChaosReport {
  readonly faults: number;
  readonly kills: number;
  readonly missed: readonly string[];
  /** Kinds of faults that this machine cannot do, with the reason. */
  readonly skipped: readonly string[];
  /** Blocks of the sequencer on the data-availability layer, and the transactions that brought them there. */
  readonly layer: { readonly blocks: number; readonly paid: number } | undefined;
  readonly sent: number;
  readonly acknowledged: number;
  readonly availability: Availability;
  readonly recoveries: readonly RecoveryRow[];
  readonly resources: { readonly before: readonly Resources[]; readonly after: readonly Resources[] };
  readonly violations: readonly Violation[];
  /** Directory of the files of the run: those of a run with violations, or of any run if requested. */
  readonly files: string | undefined;
}

const CAUGHT_UP_MS = 120_000;
const CHECK_EVERY_MS = 500;
const CLOSE_MS = 30_000;

/** One run from the first start to the checks. */
export async function runChaos(options: ChaosOptions, progress: (text: string) => void): Promise<ChaosReport> {
  const stack = await createStack(options);
  let report: ChaosReport | undefined;
  const interrupted = (): void => {
    setTimeout(() => process.exit(130), CLOSE_MS).unref();
    void stack.close(false).finally(() => process.exit(130));
  };
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    // Which services there are is known by now, and nothing has been started.
    report = await attack(stack, makeTargets(stack, options.targets), options, progress);
    return report;
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    await stack.close(report?.files !== undefined);
    if (report !== undefined && report.files === undefined)
      rmSync(stack.network.home, { recursive: true, force: true });
  }
}

async function attack(
  stack: Stack,
  targets: ReturnType<typeof makeTargets>,
  options: ChaosOptions,
  progress: (text: string) => void,
): Promise<ChaosReport> {
  const { rollup, seed, rate, recoverWithinMs } = options;
  const violations: Violation[] = [];
  const violated = (check: string, detail: string): void => {
    progress(`violation: ${check}: ${detail}`);
    violations.push({ check, detail });
  };
  const tool = new Tool(stack, violated);
  await tool.start();
  await openBridge(stack, rollup);
  const logPath = join(stack.network.home, 'clients.log');
  const { network, bridge, rollupUrl, chainId } = stack;
  const job = {
    rollup,
    seed,
    rate,
    rollupUrl,
    rpcUrl: network.url('rpc'),
    chainId,
    bridge,
    logPath,
    settleMs: recoverWithinMs,
  };
  const load = await startLoad(job);
  const observer = createObserver(stack, rollup);
  const watch = new Watch(stack.services);
  const firm = stack.layer && new FirmWatch(`${rollupUrl}${rollup === 'messenger' ? '/v1/status' : '/status'}`);
  const checking = setInterval(() => tool.check(), CHECK_EVERY_MS);
  try {
    await observer.caughtUp(CAUGHT_UP_MS);
    const baseline = await observer.baseline(makeHistory(readLog(logPath)));
    const { kinds, skipped } = possible(stack, options.faults);
    for (const reason of skipped) progress(`left out: ${reason}`);
    const durationMs = options.minutes * 60_000;
    const plan = planFaults({
      ...{ seed, durationMs, kinds, kills: options.kills },
      ...targets,
      routes: [...stack.proxies.keys()],
      restorable: stack.restorable,
      repairable: stack.repairable,
      steppable: stack.steps?.services ?? [],
    });
    for (const fault of plan) progress(describeFault(fault));
    const before = await getResources(tool);
    load.begin();
    const [injected] = await Promise.all([
      injectAll(plan, { stack, tool, watch, load, progress, violated }),
      new Promise((resolve) => setTimeout(resolve, durationMs)),
    ]);
    progress('no more faults: waiting until everything is ready, answered and executed');
    await tool.settled().catch((error: unknown) => violations.push({ check: 'supervisor', detail: String(error) }));
    await watch.allReady(recoverWithinMs);
    await load.finish();
    await observer
      .drained(CAUGHT_UP_MS)
      .catch((error: unknown) => violations.push({ check: 'stuck', detail: String(error) }));
    const upTo = await observer.sequencerHeight();
    await firm
      ?.reaches(upTo - GENESIS_HEIGHT, CAUGHT_UP_MS)
      .catch((error: unknown) => violations.push({ check: 'stuck', detail: String(error) }));
    await firm?.close();
    clearInterval(checking);
    await watch.close();
    const after = await getResources(tool);
    const records = readLog(logPath);
    const history = makeHistory(records);
    const observed = await observer.observe(history, baseline);
    if (stack.layer !== undefined) await tool.order('stop', 'relayer');
    const posted = stack.layer && (await observer.posted(stack.layer()));
    if (firm !== undefined && posted !== undefined)
      violations.push(...checkPosted({ ...observed, posted, firm: firm.seen, upTo }));
    violations.push(
      ...checkExactlyOnce(history, observed),
      ...checkValue(history, observed),
      ...checkHeights(observed),
      ...checkRecovery(watch.recoveries, recoverWithinMs),
    );
    return {
      ...injected,
      skipped,
      layer: posted && { blocks: posted.blocks.length, paid: posted.paid },
      sent: history.sent.size,
      acknowledged: [...history.sent.values()].filter(isAcknowledged).length,
      availability: makeAvailability(history),
      recoveries: recoveryTable(watch.recoveries),
      resources: { before, after },
      violations,
      files: violations.length > 0 || options.keep ? stack.network.home : undefined,
    };
  } finally {
    clearInterval(checking);
    load.kill();
    observer.close();
    await watch.close();
    await firm?.close();
    await tool.close();
  }
}

/** @throws {RangeError} for a name that no service of the network has, and for the tool alone. */
export function makeTargets({ services }: Pick<Stack, 'services'>, wanted: readonly string[]) {
  const names = services.map(({ name }) => name);
  for (const name of wanted) oneOf('targets', name, [...names, 'tool']);
  if (wanted.length === 0) return { services: names };
  const chosen = names.filter((name) => wanted.includes(name));
  if (chosen.length === 0) throw new RangeError(`--targets: expected one of ${names.join(', ')} too, got tool alone`);
  return { services: chosen, hasTool: wanted.includes('tool') };
}

function possible({ disk, clock, restorable }: Stack, wanted: readonly FaultKind[]) {
  const reasons = new Map<FaultKind, string>();
  if (typeof disk === 'string') reasons.set('disk', disk);
  if (typeof clock === 'string') reasons.set('clock', clock);
  if (restorable.length === 0) reasons.set('restore', 'the EVM node alone knows what it holds behind a nonce gap');
  return {
    kinds: wanted.filter((kind) => !reasons.has(kind)),
    skipped: wanted.flatMap((kind) => (reasons.has(kind) ? [`${kind}: ${reasons.get(kind)}`] : [])),
  };
}
