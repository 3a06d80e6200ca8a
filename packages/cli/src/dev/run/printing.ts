import { describeEvent } from '@switchyard/network/supervisor/describe-event';
import type { SupervisorEvent } from '@switchyard/network/supervisor/events';
import { printable } from '@switchyard/protocol/hidden-characters';
import type { World } from '../../cli.ts';
import { TOOL } from '../logs/names.ts';
import { Digest } from './digest.ts';
import type { PlainScreen } from './screen.ts';

/** The stream of the lines. */
export interface Sink {
  write(text: string): void;
  /** Characters that wait to be written, because the reader is slow. */
  readonly waiting: number;
}

/** Past this, service lines are left out until the reader has caught up; memory stays bounded. They are in the log files. */
const MAX_WAITING = 4 * 1024 * 1024;

/** Foreground colours distinguishable on dark and light ground; red is for failures. */
export const COLOURS = [36, 33, 35, 32, 34, 96, 95, 93, 92, 94] as const;

/**
 * Prefixes a line with the name of its service and makes it safe for a terminal.
 *
 * @param services Services whose names make the column; none: no column.
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
  /** The log file of a service. */
  readonly logFile?: (service: string) => string;
}

/** Lines of several services as one text: prefixed with the service's name, coloured if asked. */
export function createPrinter(sink: Sink, services: readonly string[], options: PrinterOptions) {
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
    /** A line of the tool itself. */
    say,
    event(event: SupervisorEvent) {
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
  /** No colours, for any output. */
  readonly headless: boolean;
  /** Which output of services is printed besides their changes of state: all of it, the important part, or none. */
  readonly lines: 'all' | 'digest' | 'none';
  /** Services that come with Switchyard. */
  readonly ours: readonly string[];
  /** The log file of a service. */
  readonly logFile: (service: string) => string;
}

/** Prefixed lines on the standard output. */
export function plainScreen({ stdout, env }: World, services: readonly string[], options: PlainOptions): PlainScreen {
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
  const digest = options.lines === 'all' ? undefined : new Digest(new Set(options.ours));
  return {
    say: printer.say,
    event: (event) => {
      if (options.lines === 'none' && event.kind === 'line') return;
      const shown = digest === undefined ? event : digest.take(event);
      if (shown !== undefined) printer.event(shown);
    },
    ending: (why) => {
      digest?.end();
      printer.say(`stopping (${why})`);
    },
    ready: () => {},
    close: async () => {},
    quit: new Promise(() => {}),
  };
}
