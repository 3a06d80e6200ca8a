import { type ChildProcess, spawn } from 'node:child_process';
import { EXIT_HALF_WRITTEN } from '@switchyard/storage';
import type { Host } from '../host.ts';
import { processOf } from '../programs.ts';
import { signalGroup } from './processes.ts';
import type { Exit } from './restart.ts';
import type { ServiceSpec } from './spec.ts';

/** How long we wait for the last lines of a process that has ended; a descendant may keep the pipe open. */
const DRAIN_MS = 200;

/** A running service: a process of its own, or a part of this one. */
export interface Body {
  /** Process that it is in; undefined if it could not be started. */
  readonly pid: number | undefined;
  /** How it ended, once its output has been read. Never rejects. */
  readonly exit: Promise<Exit>;
  /** Asks it to end, or ends it at once. */
  end(signal: 'SIGTERM' | 'SIGKILL'): void;
}

/** Takes output as it comes; two streams may each be in the middle of a line. */
export type Output = (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void;

/** @throws errors that the system reports at once. */
export function processBody({ command, args, env, cwd, own }: ServiceSpec, output: Output): Body {
  const child = spawn(command, [...args], {
    ...(cwd === undefined ? {} : { cwd }),
    // Our own services end when this pipe closes, also when we are killed.
    env: own ? { ...env, SWITCHYARD_PARENT_PIPE: '1' } : { ...env },
    stdio: [own ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    // A group of its own: Ctrl+C reaches us only, and its descendants can be ended with it.
    detached: true,
  });
  const { pid } = child;
  child.stdin?.on('error', () => {});
  child.stdout?.on('data', (chunk: Uint8Array) => output('stdout', chunk));
  child.stderr?.on('data', (chunk: Uint8Array) => output('stderr', chunk));
  const unguard = own || pid === undefined ? () => {} : guardGroup(pid);
  const exit = waitForExit(child).then((ended) => {
    unguard();
    // Descendants that the process left behind hold its ports.
    if (pid !== undefined) signalGroup(pid, 'SIGKILL');
    return ended;
  });
  return { pid, exit, end: (signal) => pid !== undefined && signalGroup(pid, signal) };
}

/** A part of this process. It cannot be killed: if it does not end in time it ends with this process. */
export function partBody(
  host: Host,
  program: NonNullable<ServiceSpec['part']>,
  spec: ServiceSpec,
  output: Output,
): Body {
  const text = new TextEncoder();
  const part = host.start({
    name: spec.name,
    load: () => processOf(program),
    env: spec.env,
    write: (line) => output('stdout', text.encode(line)),
  });
  const exit = part.ended.then((code) => {
    if (code === EXIT_HALF_WRITTEN) {
      process.stderr.write(`${spec.name}: its disk has failed within a write, and this process ends\n`);
      process.exit(code);
    }
    return { code, signal: undefined };
  });
  return { pid: process.pid, exit, end: (signal) => part.stop(signal) };
}

/** Resolves once the process is gone and its output is read, or cannot be started. Never rejects. */
function waitForExit(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: undefined, signal: undefined, error: error.message }));
    child.once('exit', (code, signal) => {
      const done = () => resolve({ code: code ?? undefined, signal: signal ?? undefined });
      const timer = setTimeout(done, DRAIN_MS);
      child.once('close', () => {
        clearTimeout(timer);
        done();
      });
    });
  });
}

/**
 * Waits for the end of its input, which comes with the end of this tool, however that ends. Then the group is signalled to
 * end, and killed two seconds later.
 */
const SCRIPT = 'read -r line || { kill -TERM -"$1" && sleep 2 && kill -KILL -"$1"; } 2>/dev/null';

/**
 * Makes sure that a group of processes does not outlive this tool, even if that is killed. Programs
 * of the user's need it: they do not watch their input, as ours do.
 *
 * @returns Ends the guard, because the group is gone.
 */
function guardGroup(group: number): () => void {
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'sh', String(group)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // A signal to the tool's group must not end the guard first.
    detached: true,
    env: { PATH: '/usr/bin:/bin' },
  });
  // Without a shell there is no guard; the run file still names the process.
  guard.on('error', () => {});
  guard.stdin.on('error', () => {});
  guard.unref();
  return () => guard.kill('SIGKILL');
}
