import { printable } from '@switchyard/protocol/hidden-characters';
import type { SupervisorEvent } from './events.ts';
import { describeExit, describeFailures } from './restart.ts';
import { pauseText } from './runner.ts';

/** An event for people: one line, and the last lines of output when a service ended. */
export function describeEvent(event: Exclude<SupervisorEvent, { kind: 'line' }>, logFile?: string): string[] {
  const { service } = event;
  switch (event.kind) {
    case 'started':
      return [`${service} started, pid ${event.pid}`];
    case 'ready':
      return [`${service} ready after ${event.ms} ms`];
    case 'not-ready':
      return [`${service} is not ready: ${printable(event.reason)}`];
    case 'exited':
      return [
        `${service} ended: ${describeExit(event.exit)}${event.lastLines.length > 0 ? `; last lines${logFile === undefined ? '' : ` (${logFile})`}:` : ', no output'}`,
        ...event.lastLines.slice(-5).map((line) => `  ${printable(line)}`),
      ];
    case 'restarting':
      return [`${service} restarts in ${pauseText(event.afterMs)}, ${describeFailures(event.failures)}`];
    case 'finished':
      return [`${service} finished`];
    case 'failed':
      return [
        `${service} failed permanently: ${printable(event.reason)}${event.waiting?.length ? `; waiting for it: ${event.waiting.join(', ')}` : ''}`,
      ];
    case 'stopped':
      return [event.killed ? `${service} did not end in time and was killed` : `${service} stopped`];
  }
}
