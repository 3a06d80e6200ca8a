// One program of a test run, with an upper limit: a stage that never ends is a failure, and the others still run.
import { spawn } from 'node:child_process';
import { root } from '../prepare.mjs';

/** Between SIGTERM and SIGKILL. */
const GRACE_MS = 5_000;

/** Ends a stage that runs; there is one for each. @type {Set<(signal: NodeJS.Signals) => void>} */
const running = new Set();

function interrupt() {
  for (const kill of running) kill('SIGKILL');
  process.exit(130);
}

/**
 * Runs a program in a process group of its own, so that what it started ends with it.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ limitMs: number, env?: NodeJS.ProcessEnv, print?: (text: string) => void }} options Its output goes to `print`, or is
 *   that of this process.
 * @returns {Promise<string | undefined>} why it failed
 */
export function runStage(command, args, { limitMs, env = {}, print }) {
  const output = print === undefined ? 'inherit' : 'pipe';
  const child = spawn(command, args, {
    cwd: root,
    detached: true,
    stdio: ['ignore', output, output],
    env: { ...process.env, ...env },
  });
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => print?.(text));
  let isLate = false;
  const kill = (/** @type {NodeJS.Signals} */ signal) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // The group has ended.
    }
  };
  const limit = setTimeout(() => {
    isLate = true;
    kill('SIGTERM');
    setTimeout(() => kill('SIGKILL'), GRACE_MS).unref();
  }, limitMs);
  if (running.size === 0) process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  running.add(kill);

  return new Promise((resolve) => {
    const end = (/** @type {string | undefined} */ failure) => {
      clearTimeout(limit);
      running.delete(kill);
      if (running.size === 0) process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
      resolve(isLate ? `not done within ${Math.round(limitMs / 1_000)} s` : failure);
    };
    child.once('error', (error) => end(error.message));
    child.once('exit', (code, signal) => {
      // Also what a failed program has left running.
      kill('SIGKILL');
      const failure = code === 0 ? undefined : `ended with ${signal ?? `status ${code}`}`;
      // A process that has left the group may hold the output open.
      const late = setTimeout(() => end(failure), GRACE_MS);
      child.once('close', () => {
        clearTimeout(late);
        end(failure);
      });
    });
  });
}
