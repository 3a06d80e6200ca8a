import { existsSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { damage } from './faults/damage.ts';
import type { LoadProcess } from './load-process.ts';
import type { Fault } from './plan.ts';
import { backupDirectory, type Stack } from './stack.ts';
import type { Tool } from './tool.ts';
import type { Watch } from './watch.ts';

export interface Injected {
  /** Processes that were killed. */
  kills: number;
  /** Faults that were carried out. */
  faults: number;
  /** Faults that could not be carried out, such as the kill of a process that was not there. */
  readonly missed: string[];
}

export interface InjectDeps {
  readonly stack: Stack;
  readonly tool: Tool;
  readonly load: Pick<LoadProcess, 'acknowledged'>;
  readonly watch: Watch;
  readonly progress: (text: string) => void;
  readonly violated: (check: string, detail: string) => void;
}

/** A kill of everything that comes later than planned, since the network was still starting, waits for it to be of use. */
const LATE_MS = 500;
const OF_USE_MS = 30_000;
/** Most services take thousands of steps in this time. */
const STEPS_MS = 5_000;

const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Carries out the faults of a plan at their times, concurrently if they overlap. Resolves when all are over. */
export async function injectAll(faults: readonly Fault[], deps: InjectDeps): Promise<Injected> {
  const injected: Injected = { kills: 0, faults: 0, missed: [] };
  const began = performance.now();
  await Promise.all(
    faults.map(async (fault) => {
      await rest(fault.at - (performance.now() - began));
      try {
        await inject(fault, deps, injected, () => performance.now() - began > fault.at + LATE_MS);
        injected.faults += 1;
      } catch (error) {
        injected.missed.push(`${fault.kind} at ${(fault.at / 1_000).toFixed(1)} s: ${String(error)}`);
      }
    }),
  );
  return injected;
}

/** Resolves when the fault is over. */
async function inject(fault: Fault, deps: InjectDeps, injected: Injected, isLate: () => boolean): Promise<void> {
  switch (fault.kind) {
    case 'kill':
      if (fault.steps !== undefined) return killAtStep(fault, fault.steps, deps, injected);
      return kill(fault.targets, deps, injected, isLate);
    case 'stop':
      return stop(fault, deps);
    case 'pause':
      return pause(fault, deps);
    case 'proxy':
      return proxy(fault, deps);
    case 'disk':
      return disk(fault, deps);
    case 'clock':
      return clock(fault, deps);
    case 'backup':
    case 'restore':
      return store(fault, deps);
    case 'corrupt':
      return corrupt(fault, deps);
  }
}

async function kill(
  targets: readonly string[],
  { tool, watch, load }: InjectDeps,
  injected: Injected,
  isLate: () => boolean,
): Promise<void> {
  let killed = 0;
  // With the tool, only running ones: a service that another fault has stopped is started when the tool is back.
  const find = (target: string) => (targets.includes('tool') ? tool.runningPid(target) : tool.pid(target));
  const strike = async (): Promise<void> => {
    const found = await Promise.allSettled(targets.map(find));
    for (const pid of found) {
      if (pid.status === 'fulfilled' && pid.value !== undefined && signalled(pid.value, 'SIGKILL')) killed += 1;
    }
  };
  if (targets.includes('tool')) {
    // Without the tool all of its services end.
    await tool.killed(async () => {
      if (isLate()) await load.acknowledged(OF_USE_MS);
      await strike();
      watch.expect('kill of the tool', undefined, { again: true });
    });
  } else {
    await tool.settled();
    await strike();
    watch.expect('kill', targets, { again: true });
  }
  injected.kills += killed;
  if (killed < targets.length) throw new Error(`${targets.join('+')}: ${targets.length - killed} not there`);
}

/** Resolves when the process has ended at its step; a process without steps is killed at once. */
async function killAtStep(
  { targets }: Fault & { kind: 'kill' },
  steps: number,
  { stack, tool, watch }: InjectDeps,
  injected: Injected,
): Promise<void> {
  const [target = ''] = targets;
  await tool.settled();
  const pid = await tool.pid(target);
  stack.steps?.kills.begin(target, pid, steps);
  for (const end = performance.now() + STEPS_MS; isRunning(pid) && performance.now() < end; ) await rest(20);
  signalled(pid, 'SIGKILL');
  injected.kills += 1;
  watch.expect('kill at a step', targets, { again: true });
  // Without the pause after an end: a service that is away most of the time takes few steps.
  await tool.order('start', target);
}

const isRunning = (pid: number): boolean => signalled(pid, 0);

/** @returns false if the process has ended in the meantime. */
function signalled(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

async function stop({ target, forMs }: Fault & { kind: 'stop' }, { tool, watch }: InjectDeps): Promise<void> {
  await tool.order('stop', target);
  await rest(forMs);
  await tool.order('start', target);
  watch.expect('stop', [target]);
}

async function pause(fault: Fault & { kind: 'pause' }, { tool, watch }: InjectDeps): Promise<void> {
  await tool.settled();
  const pid = await tool.pid(fault.target);
  signalled(pid, 'SIGSTOP');
  await rest(fault.forMs);
  signalled(pid, 'SIGCONT');
  watch.expect('pause', fault.target === 'tool' ? [] : [fault.target]);
}

async function proxy({ route, fault, forMs }: Fault & { kind: 'proxy' }, { stack, watch }: InjectDeps): Promise<void> {
  const found = stack.proxies.get(route);
  if (found === undefined) throw new Error(`no proxy ${route}`);
  found.fail(fault);
  await rest(forMs);
  found.repair();
  watch.expect(`${fault.kind} connection`);
}

async function disk({ forMs }: Fault & { kind: 'disk' }, { stack, watch }: InjectDeps): Promise<void> {
  if (typeof stack.disk === 'string') throw new Error(stack.disk);
  await stack.disk.fill();
  await rest(forMs);
  await stack.disk.free();
  watch.expect('full disk');
}

async function clock({ seconds, forMs }: Fault & { kind: 'clock' }, { stack, watch }: InjectDeps): Promise<void> {
  if (typeof stack.clock === 'string') throw new Error(stack.clock);
  stack.clock.step(seconds);
  watch.expect('clock step');
  await rest(forMs);
  stack.clock.step(0);
  watch.expect('clock step');
}

/** Copies the store of a service that is stopped for it, or puts such a copy back. */
async function store(fault: Fault & { kind: 'backup' | 'restore' }, deps: InjectDeps): Promise<void> {
  const { stack, tool, watch } = deps;
  const service = stack.services.find(({ name }) => name === fault.target);
  if (service === undefined) throw new Error(`no service ${fault.target}`);
  const live = join(stack.paths.data, service.store);
  const copy = join(backupDirectory(stack), fault.target);
  if (fault.kind === 'restore' && !existsSync(copy)) throw new Error('there is no copy yet');
  await tool.order('stop', fault.target);
  try {
    if (fault.kind === 'backup') {
      await rm(copy, { recursive: true, force: true });
      await cp(live, copy, { recursive: true });
    } else {
      await rm(live, { recursive: true, force: true });
      await cp(copy, live, { recursive: true });
    }
  } finally {
    await tool.order('start', fault.target);
  }
  watch.expect(fault.kind === 'backup' ? 'stop for a copy' : 'older store', [fault.target]);
}

/** Damages the store of a stopped service, and repairs it with our own commands if they find the damage. */
async function corrupt({ target, share }: Fault & { kind: 'corrupt' }, deps: InjectDeps): Promise<void> {
  const { stack, tool, watch, progress, violated } = deps;
  const service = stack.services.find(({ name }) => name === target);
  if (service === undefined) throw new Error(`no service ${target}`);
  const directory = join(stack.paths.data, service.store);
  const { switchyard } = stack.network;
  await tool.order('stop', target);
  try {
    const place = damage(directory, share);
    const found = await switchyard('verify', directory);
    progress(`${place} damaged: ${found.status === 0 ? 'no data there, verify finds nothing' : 'found by verify'}`);
    // Bytes that are not in use may be anything. If they were data, the final checks would see it.
    if (found.status !== 0) {
      const repaired = await switchyard('repair', directory);
      if (repaired.status !== 0) violated('repair', `${place}: ${repaired.stderr || repaired.stdout}`);
      const again = await switchyard('verify', directory);
      if (again.status !== 0) violated('repair', `${place}, verified after the repair: ${again.stdout}`);
    }
  } finally {
    await tool.order('start', target);
  }
  watch.expect('damaged store', [target]);
}
