import { plain } from '../../print.ts';
import type { SupervisorEvent } from './events.ts';
import { describeExit, describeFailures } from './restart.ts';
import { pauseText } from './runner.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour is the one control sequence that is let through
const COLOUR_SEQUENCE = /(\u001b\[[0-9;]*m)/;

/** A program's own colours stay; anything else that would move the cursor is shown as its code. */
export function printable(text: string): string {
  if (!text.includes('\u001b')) return plain(text.replaceAll('\t', '  '));
  return text
    .split(COLOUR_SEQUENCE)
    .map((part, index) => (index % 2 === 1 ? part : plain(part)))
    .join('');
}

/** An event for people: one line, and the last lines of output when a service ended. */
export function describeEvent(event: Exclude<SupervisorEvent, { kind: 'line' }>, logFile?: string): string[] {
  const { service } = event;
  switch (event.kind) {
    case 'started':
      return [`${service} started, pid ${event.pid}`];
    case 'ready':
      return [`${service} ready after ${event.ms} ms`];
    case 'not-ready':
      return [`${service} is not ready: ${event.reason}`];
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
