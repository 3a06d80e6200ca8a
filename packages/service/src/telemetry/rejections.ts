import type { LogFields } from './log.ts';
import { RepeatedLines, type RepeatedLinesOptions } from './repeated-lines.ts';

/** Receiver of the lines. */
export interface RejectionLog {
  info(fields: LogFields, sentence: string): void;
}

/** Levels of a logger that a listener needs. */
export interface LineLog extends RejectionLog {
  error(fields: LogFields, sentence: string): void;
  debug(fields: LogFields, sentence: string): void;
}

/** Logs the refusals of a listener, as a line now and then. */
export class Rejections extends RepeatedLines {
  constructor(log: RejectionLog, options: Pick<RepeatedLinesOptions, 'everyMs' | 'after'> = {}) {
    super({
      ...options,
      write: (fields, sentence) => log.info(fields, sentence),
      sentences: { one: 'a client is refused', several: 'clients are refused' },
    });
  }
}

/** Warnings about a peer or a client that others repeat, as a line now and then. */
export function repeatedWarnings(
  log: { warn(fields: LogFields, sentence: string): void },
  sentences: RepeatedLinesOptions['sentences'],
): RepeatedLines {
  return new RepeatedLines({ write: (fields, sentence) => log.warn(fields, sentence), sentences });
}

const failures = new WeakMap<object, { readonly requests: RepeatedLines; readonly calls: RepeatedLines }>();

/** Requests and calls that failed and should not have, as a line now and then for each logger: clients can repeat them. */
export function getFailures(log: Pick<LineLog, 'error'>): {
  readonly requests: RepeatedLines;
  readonly calls: RepeatedLines;
} {
  const known = failures.get(log);
  if (known !== undefined) return known;
  const write = (fields: LogFields, sentence: string): void => log.error(fields, sentence);
  const made = {
    requests: new RepeatedLines({ write, sentences: { one: 'a request failed', several: 'requests failed' } }),
    calls: new RepeatedLines({ write, sentences: { one: 'a call failed', several: 'calls failed' } }),
  };
  failures.set(log, made);
  return made;
}
