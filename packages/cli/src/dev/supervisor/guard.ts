import { spawn } from 'node:child_process';

/**
 * Waits for the end of its input, which comes with the end of this tool, however that ends. Then the group is asked to
 * end, and killed two seconds later.
 */
const SCRIPT = 'read -r line || { kill -TERM -"$1" && sleep 2 && kill -KILL -"$1"; } 2>/dev/null';

/**
 * Makes sure that a group of processes does not outlive this tool, even one that is killed. Programs
 * of the user's need it: they do not watch their input, as ours do.
 *
 * @returns Ends the guard, because the group is gone.
 */
export function guardGroup(group: number): () => void {
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
