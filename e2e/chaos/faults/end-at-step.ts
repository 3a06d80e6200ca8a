import { createHook } from 'node:async_hooks';
import { readFileSync } from 'node:fs';

/*
 * Loaded into a service before its own code. After SIGUSR2 it counts Node's tasks: callbacks of sockets, files and timers,
 * and continuations of promises. At the number that its file has, the process kills itself. So each place between two awaits of a
 * service is as likely as any other, regardless of its duration.
 */
const file = process.env.SWITCHYARD_CHAOS_STEPS;
if (file !== undefined) {
  process.on('SIGUSR2', () => {
    let left = Number(readFileSync(file, 'utf8'));
    const step = (): void => {
      left -= 1;
      if (left <= 0) process.kill(process.pid, 'SIGKILL');
    };
    createHook({ before: step, after: step }).enable();
  });
}
