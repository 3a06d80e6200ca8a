import type { World } from '../../cli.ts';
import { plain } from '../../print.ts';
import { TOOL } from '../logs/names.ts';
import type { SupervisorEvent } from '../supervisor/events.ts';
import { describeExit, describeFailures } from '../supervisor/restart.ts';
import { pauseText } from '../supervisor/runner.ts';
import type { Screen } from './screen.ts';

/** Where lines go. */
export interface Sink {
  write(text: string): void;
  /** Characters that wait to be written, because the reader is slow. */
  readonly waiting: number;
}

/** Past this, service lines are left out until the reader has caught up; memory stays bounded. They are in the log files. */
const MAX_WAITING = 4 * 1024 * 1024;

/** Foreground colours that can be told apart on dark and light ground. */
const COLOURS = [36, 33, 35, 32, 34, 91, 96, 95] as const;

export interface Printer {
  event(event: SupervisorEvent): void;
  /** A line of the tool itself. */
  say(line: string): void;
}

/**
 * Puts who says it in front of a line and makes it safe for a terminal.
 *
 * @param services Those whose names make the column; none: no column.
 */
export function createPrefixer(
  services: readonly string[],
  { colour }: { colour: boolean },
): (service: string, text: string) => string {
  const width = Math.max(...services.map((name) => name.length), 0);
  const others = services.filter((name) => name !== TOOL);
  const codes = new Map(others.map((name, index) => [name, COLOURS[index % COLOURS.length] ?? 37]));
  return (service, text) =>
    services.length === 0
      ? printable(text)
      : `${painted(colour, codes.get(service) ?? 1, `${service.padEnd(width)} |`)} ${printable(text)}`;
}

interface PrinterOptions {
  readonly colour: boolean;
  /** Where all that a service says is kept. */
  readonly logFile?: (service: string) => string;
}

/** Lines of several services as one text: prefixed with the service's name, coloured if asked. */
export function createPrinter(sink: Sink, services: readonly string[], options: PrinterOptions): Printer {
  const { colour, logFile } = options;
  const prefixed = createPrefixer([TOOL, ...services], { colour });
  let left = 0;
  const say = (line: string) => sink.write(`${prefixed(TOOL, line)}\n`);
  const print = (service: string, text: string) => {
    if (sink.waiting > MAX_WAITING) left += 1;
    else {
      if (left > 0)
        say(`${left} lines were not shown: the terminal is slower than the services; they are in the log files`);
      left = 0;
      sink.write(`${prefixed(service, text)}\n`);
    }
  };
  return {
    say,
    event(event) {
      if (event.kind === 'line') print(event.service, event.text);
      else
        for (const line of describeEvent(event, logFile?.(event.service)))
          say(painted(colour, event.kind === 'failed' ? 31 : 0, line));
    },
  };
}

function painted(colour: boolean, code: number, text: string): string {
  return colour ? `\u001b[${code}m${text}\u001b[0m` : text;
}

interface PlainOptions {
  /** Prints nothing at all. */
  readonly quiet: boolean;
  /** No colours, whatever the output is. */
  readonly headless: boolean;
  /** Whether what services say is printed, and not only what happens to them. */
  readonly lines: boolean;
  /** Where all that a service says is kept. */
  readonly logFile: (service: string) => string;
}

/** Prefixed lines on the standard output. */
export function plainScreen({ stdout, env }: World, services: readonly string[], options: PlainOptions): Screen {
  const colour = stdout.isTTY === true && !options.headless && (env.NO_COLOR ?? '') === '';
  const sink: Sink = {
    write: (text) => {
      if (!options.quiet) stdout.write(text);
    },
    get waiting() {
      return stdout.writableLength ?? 0;
    },
  };
  const printer = createPrinter(sink, services, { colour, logFile: options.logFile });
  return {
    say: printer.say,
    event: (event) => {
      if (options.lines || event.kind !== 'line') printer.event(event);
    },
    ready: () => {},
    close: async () => {},
    quit: new Promise(() => {}),
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour is the one control sequence that is let through
const COLOUR_SEQUENCE = /(\u001b\[[0-9;]*m)/;

/** A program's own colours stay; anything else that would move the cursor is shown as its code. */
function printable(text: string): string {
  if (!text.includes('\u001b')) return plain(text.replaceAll('\t', '  '));
  return text
    .split(COLOUR_SEQUENCE)
    .map((part, index) => (index % 2 === 1 ? part : plain(part)))
    .join('');
}

/** What happened to a service, for people: one line, and its last words when it ended. */
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
        `${service} ended: ${describeExit(event.exit)}${event.lastLines.length > 0 ? `; its last lines${logFile === undefined ? '' : ` (${logFile})`}:` : ', without a word'}`,
        ...event.lastLines.slice(-5).map((line) => `  ${printable(line)}`),
      ];
    case 'restarting':
      return [`${service} starts again in ${pauseText(event.afterMs)}, ${describeFailures(event.failures)}`];
    case 'finished':
      return [`${service} has done its work`];
    case 'failed':
      return [
        `${service} is not started again: ${printable(event.reason)}${event.waiting?.length ? `; waiting for it: ${event.waiting.join(', ')}` : ''}`,
      ];
    case 'stopped':
      return [event.killed ? `${service} did not end in time and was killed` : `${service} stopped`];
  }
}
