import { printable } from '@switchyard/protocol/hidden-characters';
import type { SupervisorEvent } from './events.ts';
import { describeExit, describeFailures } from './restart.ts';
import { pauseText } from './runner.ts';

type LifeEvent = Exclude<SupervisorEvent, { kind: 'line' }>;

/** An event for people, in words that follow the name of its service. */
export function eventText(event: LifeEvent): string {
  switch (event.kind) {
    case 'started':
      return `started, pid ${event.pid}`;
    case 'ready':
      return `ready after ${event.ms} ms`;
    case 'not-ready':
      return `is not ready: ${printable(event.reason)}`;
    case 'exited':
      return `ended: ${describeExit(event.exit)}`;
    case 'restarting':
      return `restarts in ${pauseText(event.afterMs)}, ${describeFailures(event.failures)}`;
    case 'finished':
      return 'finished';
    case 'failed':
      return `failed permanently: ${printable(event.reason)}${event.waiting?.length ? `; waiting for it: ${event.waiting.join(', ')}` : ''}`;
    case 'stopped':
      return event.killed ? 'did not end in time and was killed' : 'stopped';
  }
}

/** An event with its service: one line, and the last lines of output when a service ended. */
export function describeEvent(event: LifeEvent, logFile?: string): string[] {
  const line = `${event.service} ${eventText(event)}`;
  if (event.kind !== 'exited') return [line];
  if (event.lastLines.length === 0) return [`${line}, no output`];
  return [
    `${line}; last lines${logFile === undefined ? '' : ` (${logFile})`}:`,
    ...event.lastLines.slice(-5).map((each) => `  ${printable(each)}`),
  ];
}
