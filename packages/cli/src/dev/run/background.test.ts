import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findMark, isRunning, type ProcessMark, signalGroup } from '@switchyard/network/supervisor/processes';
import { FOREVER } from '@switchyard/network/supervisor/testing';
import { afterEach, expect, test } from 'vitest';
import type { InstancePaths } from '../instance/home.ts';
import { currentRun } from '../instance/run-file.ts';
import { programsInstance, scratchPaths } from '../testing.ts';

/** Other processes cannot run these sources, so they run the build. */
const program = join(import.meta.dirname, '..', '..', '..', 'bin', 'switchyard.mjs');
const built = existsSync(join(import.meta.dirname, '..', '..', '..', 'dist', 'dev', 'run', 'detach.js'));

const tools: ChildProcess[] = [];
const instances: InstancePaths[] = [];
afterEach(async () => {
  for (const paths of instances.splice(0)) {
    const run = currentRun(paths);
    const watcher = run?.services.find(({ name }) => name === 'watcher');
    for (const each of [watcher, run?.tool]) if (each !== undefined) signalGroup(each.pid, 'SIGKILL');
  }
  for (const tool of tools.splice(0)) tool.kill('SIGKILL');
});

function instance(
  scripts: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
): InstancePaths {
  const paths = scratchPaths();
  programsInstance(paths, scripts, more);
  instances.push(paths);
  return paths;
}

/** Starts `switchyard dev ...` on an instance. */
function dev(paths: InstancePaths, ...args: string[]) {
  const command = [program, 'dev', ...args, '--instance', paths.name, '--home', paths.home];
  const tool = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env.PATH } });
  tools.push(tool);
  let [stdout, stderr] = ['', ''];
  tool.stdout.on('data', (chunk: Uint8Array) => (stdout += String(chunk)));
  tool.stderr.on('data', (chunk: Uint8Array) => (stderr += String(chunk)));
  const end = new Promise<{ status: number | null; stdout: string; stderr: string }>((resolve) => {
    tool.once('close', (status) => resolve({ status, stdout, stderr }));
  });
  return { tool, end };
}

const defer = { timeout: 60_000, interval: 20 };

/** The tool and its services, once the instance runs with this many of them. */
async function getProcesses(paths: InstancePaths, count: number): Promise<ProcessMark[]> {
  await expect.poll(() => currentRun(paths)?.services.length, defer).toBe(count);
  const run = currentRun(paths);
  return run === undefined ? [] : [run.tool, ...run.services];
}

test.runIf(built)(
  'an instance starts in the background, is looked at, and stops with nothing left',
  async () => {
    const paths = instance({ one: `console.log('hello'); ${FOREVER}`, two: FOREVER }, { two: 'ready = "log:never"' });
    const waiting = dev(paths, 'run', '--detach');
    await getProcesses(paths, 2);
    expect((await dev(paths, 'stop', 'two').end).stdout).toBe(
      `service two stopped: \`switchyard dev start two --instance test --home ${paths.home}\` starts it\n`,
    );
    const started = await waiting.end;
    expect(started).toMatchObject({ status: 0 });
    expect(started.stderr).toContain('switchyard | one ready after');
    expect(started.stdout).toMatch(/\nready \{.*\}\n$/);
    const processes = await getProcesses(paths, 2);

    const status: unknown = JSON.parse((await dev(paths, 'status', '--json').end).stdout);
    expect(status).toMatchObject({
      running: true,
      services: [
        { name: 'one', state: 'ready', restarts: 0 },
        { name: 'two', state: 'stopped' },
      ],
    });
    expect((await dev(paths, 'logs', 'one').end).stdout).toMatch(/^\d\d:\d\d:\d\d\.\d{3} hello\n$/);
    const second = await dev(paths, 'run', '--detach').end;
    expect([second.status, second.stderr]).toEqual([
      1,
      expect.stringContaining('instance test already runs (process '),
    ]);
    expect((await dev(paths, 'stop').end).stdout).toBe('instance test stopped; its state is kept\n');
    expect(processes.filter(isRunning)).toEqual([]);
    expect(existsSync(paths.run)).toBe(false);
  },
  150_000,
);

// Defect: A detached network that was killed stayed down
test.runIf(built)(
  'a network in the background that is killed or aborted is started again, until it is stopped',
  async () => {
    const paths = instance({ one: FOREVER });
    expect(await dev(paths, 'run', '--detach').end).toMatchObject({ status: 0 });
    let processes = await getProcesses(paths, 2);
    for (const signal of ['SIGKILL', 'SIGABRT'] as const) {
      const [tool] = processes;
      process.kill(tool?.pid ?? 0, signal);
      await expect.poll(() => processes.filter(isRunning).map(({ pid }) => pid), defer).not.toContain(tool?.pid);
      processes = await getProcesses(paths, 2);
      expect(processes[0]?.pid).not.toBe(tool?.pid);
    }
    expect((await dev(paths, 'status').end).stdout).toContain(`(pid ${processes[0]?.pid},`);
    process.kill(processes[0]?.pid ?? 0, 'SIGKILL');
    expect((await dev(paths, 'stop').end).stdout).toContain('instance test ');
    expect(processes.filter(isRunning)).toEqual([]);
    expect([currentRun(paths), existsSync(paths.run)]).toEqual([undefined, false]);
  },
  60_000,
);

test.runIf(built)(
  'a start in the background that fails prints the reason, and leaves nothing',
  async () => {
    const bad = `console.error('no such table'); process.exit(78)`;
    const paths = instance({ good: FOREVER, bad }, { bad: 'ready = "log:up"' });
    const { status, stderr } = await dev(paths, 'run', '--detach').end;
    expect(status).toBe(1);
    expect(stderr).toContain(
      'service bad does not run (exit code 78): its configuration is wrong; last output: no such table\n',
    );
    expect(stderr).toContain(`instance test did not start: see above (${paths.logs}/run.out)`);
    expect([
      existsSync(paths.run),
      readFileSync(join(paths.logs, 'bad.log'), 'utf8').endsWith('Z no such table\n'),
    ]).toEqual([false, true]);
  },
  20_000,
);

test.runIf(built)(
  'programs of the user end with a tool that was killed, with what they have started',
  async () => {
    const child = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(FOREVER)}], { stdio: 'inherit' })`;
    const paths = instance({ script: `console.log('child ' + ${child}.pid); ${FOREVER}` });
    const { tool } = dev(paths, 'run', '--headless');
    const [, service] = await getProcesses(paths, 1);
    const log = join(paths.logs, 'script.log');
    await expect.poll(() => existsSync(log) && /child (\d+)/.exec(readFileSync(log, 'utf8'))?.[1], defer).toBeTruthy();
    const grandchild = findMark(Number(/child (\d+)/.exec(readFileSync(log, 'utf8'))?.[1]));
    expect([service, grandchild].map((mark) => mark && isRunning(mark))).toEqual([true, true]);
    tool.kill('SIGKILL');
    await expect.poll(() => [service, grandchild].filter((mark) => mark && isRunning(mark)), defer).toEqual([]);
  },
  20_000,
);

test.runIf(built)(
  'a reader that goes away ends the network cleanly and quietly',
  async () => {
    const paths = instance({ chatty: `setInterval(() => console.log('tick'), 5)` });
    const { tool, end } = dev(paths, 'run');
    const processes = await getProcesses(paths, 1);
    tool.stdout?.destroy();
    expect(await end).toMatchObject({ status: 0, stderr: '' });
    expect(processes.filter(isRunning)).toEqual([]);
    expect(existsSync(paths.run)).toBe(false);
  },
  20_000,
);

test.runIf(built && process.platform === 'linux')(
  'a full disk under both outputs ends nothing',
  async () => {
    const paths = instance({ chatty: `setInterval(() => console.log('tick'), 5)` });
    const full = openSync('/dev/full', 'w');
    const command = [program, 'dev', 'run', '--headless', '--instance', paths.name, '--home', paths.home];
    const tool = spawn(process.execPath, command, { stdio: ['ignore', full, full], env: { PATH: process.env.PATH } });
    tools.push(tool);
    closeSync(full);
    await getProcesses(paths, 1);
    const log = join(paths.logs, 'chatty.log');
    await expect.poll(() => existsSync(log) && readFileSync(log, 'utf8').split('\n').length > 20, defer).toBe(true);
    expect((await dev(paths, 'stop').end).stdout).toBe('instance test stopped; its state is kept\n');
  },
  20_000,
);

test.runIf(built)(
  'both outputs may go away',
  async () => {
    const paths = instance({ chatty: `setInterval(() => console.log('tick'), 5)` });
    const { tool, end } = dev(paths, 'run');
    const processes = await getProcesses(paths, 1);
    tool.stderr?.destroy();
    tool.stdout?.destroy();
    expect((await end).status).toBe(0);
    expect(processes.filter(isRunning)).toEqual([]);
  },
  20_000,
);

test.runIf(built)(
  'start brings back what is down, restart reads edited files, and the others keep running',
  async () => {
    const paths = instance({ one: `console.log(process.env.GREETING); ${FOREVER}`, two: FOREVER });
    expect(await dev(paths, 'start').end).toMatchObject({ status: 0 });
    const [, , two] = await getProcesses(paths, 3);
    expect((await dev(paths, 'stop', 'one', '--json').end).stdout).toContain('"result": "stopped"');
    expect((await dev(paths, 'start').end).stdout).toBe('service one started\n');
    expect((await dev(paths, 'start').end).stdout).toBe('all services run already\n');
    writeFileSync(paths.base, 'greeting = "edited"\n');
    expect((await dev(paths, 'status').end).stdout).toContain(`  edited since the start: ${paths.base}\n`);
    expect((await dev(paths, 'restart', 'one').end).stdout).toBe('service one started again\n');
    await expect.poll(() => readFileSync(join(paths.logs, 'one.log'), 'utf8'), defer).toContain('Z edited\n');
    expect(two && isRunning(two)).toBe(true);
    expect((await dev(paths, 'restart', 'tow').end).stderr).toBe(
      'no service tow, there is one, two; did you mean "two"?\n',
    );
    const follower = dev(paths, 'logs', '--follow');
    await new Promise((resolve) => follower.tool.stdout?.once('data', resolve));
    follower.tool.stdout?.destroy();
    expect((await dev(paths, 'restart').end).stdout).toBe('all services started again\n');
    expect((await follower.end).stderr).toBe('');
    expect((await dev(paths, 'stop').end).status).toBe(0);
    expect((await dev(paths, 'restart').end).stderr).toContain('instance test is not running: start it with');
  },
  150_000,
);
