import type { SupervisorEvent } from '../dev/supervisor/events.ts';
import { describeExit, describeFailures } from '../dev/supervisor/restart.ts';
import { pauseText } from '../dev/supervisor/runner.ts';
import type { LogLine } from './log-buffer.ts';

type LifeEvent = Exclude<SupervisorEvent, { kind: 'line' }>;

/** The line about its lifecycle that the tool adds to a service's log. */
export function lifeLine(event: LifeEvent, at: number): LogLine {
  return {
    service: event.service,
    text: `[switchyard] ${textOf(event)}`,
    at,
    kind: isBad(event) ? 'bad' : 'life',
  };
}

function isBad(event: LifeEvent): boolean {
  if (event.kind === 'exited') return event.exit.code !== 0;
  return event.kind === 'failed' || (event.kind === 'stopped' && event.killed);
}

function textOf(event: LifeEvent): string {
  switch (event.kind) {
    case 'started':
      return `started, pid ${event.pid}`;
    case 'ready':
      return `ready after ${event.ms} ms`;
    case 'not-ready':
      return `not ready: ${event.reason}`;
    case 'exited':
      return event.exit.code === 0 ? 'exited cleanly' : `exited with error: ${describeExit(event.exit)}`;
    case 'restarting':
      return `starts again in ${pauseText(event.afterMs)}, ${describeFailures(event.failures)}`;
    case 'finished':
      return 'has done its work';
    case 'failed':
      return `not started again: ${event.reason}`;
    case 'stopped':
      return event.killed ? 'did not end in time and was killed' : 'stopped';
  }
}
