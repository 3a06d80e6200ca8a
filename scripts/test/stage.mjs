// One program of a test run, with an upper limit: a stage that never ends is a failure, and the others still run.
import { spawn } from 'node:child_process';
import { root } from '../prepare.mjs';

/** Between SIGTERM and SIGKILL. */
const GRACE_MS = 5_000;

/**
 * Runs a program in a process group of its own, so that what it started ends with it.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ limitMs: number, env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<string | undefined>} why it failed
 */
export function runStage(command, args, { limitMs, env = {} }) {
  const child = spawn(command, args, {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  });
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
  const interrupt = () => {
    kill('SIGKILL');
    process.exit(130);
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);

  return new Promise((resolve) => {
    const end = (/** @type {string | undefined} */ failure) => {
      clearTimeout(limit);
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
      // Also what a failed program has left running.
      kill('SIGKILL');
      resolve(isLate ? `not done within ${Math.round(limitMs / 1_000)} s` : failure);
    };
    child.once('error', (error) => end(error.message));
    child.once('exit', (code, signal) => end(code === 0 ? undefined : `ended with ${signal ?? `status ${code}`}`));
  });
}
