import { writeSync } from 'node:fs';
import { showHiddenInJson } from '@switchyard/protocol/hidden-characters';
import { pino } from 'pino';
import { wallDate } from '../timing/clock.ts';
import { errorLine } from './error-line.ts';
import { humanLine } from './human-line.ts';
import { getLevel, type Level, type LogFilter } from './log-filter.ts';

/** Facts that go with a sentence. Byte strings, bigints, errors and `Secret`s may be given unconverted. */
export type LogFields = Readonly<Record<string, unknown>>;

/** A constant sentence, with or without fields before it. */
export interface LogMethod {
  (fields: LogFields, sentence: string): void;
  (sentence: string): void;
}

/** Logger, as the rest of the code uses it. */
export interface Logger {
  readonly error: LogMethod;
  readonly warn: LogMethod;
  readonly info: LogMethod;
  readonly debug: LogMethod;
  readonly trace: LogMethod;
  /** A logger that adds `fields` to every line. With a field `component`, the directive for that name sets its level. */
  child(fields: LogFields): Logger;
  enabled(level: Exclude<Level, 'off'>): boolean;
}

export interface LoggerOptions {
  /** Name of the process: a field in JSON, and the target that directives name. */
  readonly name: string;
  readonly filter: LogFilter;
  /** Human lines instead of JSON lines. */
  readonly pretty: boolean;
  /** Colours in human lines. */
  readonly color?: boolean;
  /** Takes whole lines, with their line end. Standard output if absent. */
  readonly write?: (line: string) => void;
}

/** Values under such names never reach a log, regardless of their origin. */
const SECRET_NAME =
  /^(private_?key|priv_?key|signing_?key|seed|mnemonic|secret|password|authorization|(auth_?|bearer_?)?token)$/i;
const MAX_BYTES_SHOWN = 64;
const MAX_TEXT_SHOWN = 2_000;
/** For a reader of the output that is slower. */
const READER_MS = 10;

/** Writes at once, in the calling thread, so the last line before a crash is not lost. */
export function createLogger(options: LoggerOptions): Logger {
  const level = getLevel(options.filter, options.name);
  const write = options.write ?? standardOutput((lines) => root.warn({ lines }, 'log lines are lost'));
  const { pretty, color = false } = options;
  const line = pretty ? (json: string) => humanLine(json, color) : showHiddenInJson;
  const destination = { write: (json: string) => write(line(json)) };
  const root: pino.Logger = pino(
    {
      level: pinoLevel(level),
      base: pretty ? {} : { name: options.name },
      timestamp: () => `,"time":"${wallDate().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }), log: showFields },
      serializers: { err: (value: unknown) => value },
    },
    destination,
  );
  return wrap(root, level, options.filter);
}

/** A logger that writes nothing: default of small parts, and of tests. */
export const silentLogger: Logger = createLogger({
  name: 'silent',
  filter: { general: 'off', targets: new Map() },
  pretty: false,
  write: () => undefined,
});

function wrap(inner: pino.Logger, level: Level, filter: LogFilter): Logger {
  return {
    error: inner.error.bind(inner),
    warn: inner.warn.bind(inner),
    info: inner.info.bind(inner),
    debug: inner.debug.bind(inner),
    trace: inner.trace.bind(inner),
    child(fields) {
      const component = fields.component;
      const own = typeof component === 'string' ? getLevel(filter, component, level) : level;
      return wrap(inner.child(showFields(fields), { level: pinoLevel(own) }), own, filter);
    },
    enabled: (wanted) => inner.isLevelEnabled(wanted),
  };
}

function pinoLevel(level: Level): string {
  return level === 'off' ? 'silent' : level;
}

/** @param onLost Called with the number of lines that a full disk has cost, when there is room for lines again. */
function standardOutput(onLost: (lines: number) => void): (line: string) => void {
  /** Bytes of the last line that are not written yet. */
  let rest: Uint8Array = new Uint8Array();
  let lost = 0;
  const takes = (): boolean => {
    rest = rest.subarray(written(rest));
    return rest.length === 0;
  };
  return (line) => {
    if (takes() && lost > 0) {
      const lines = lost;
      lost = 0;
      onLost(lines);
    }
    if (rest.length > 0) lost += 1;
    else {
      rest = Buffer.from(line);
      takes();
    }
  };
}

/** @returns How many of the bytes the output has taken. Neither a reader that went away nor a full disk is an error. */
function written(bytes: Uint8Array): number {
  for (let at = 0; ; ) {
    if (at === bytes.length) return at;
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return at;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, READER_MS);
    }
  }
}

function showFields(fields: object): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    shown[name] = SECRET_NAME.test(name) ? '[secret]' : showValue(value);
  }
  return shown;
}

function showValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'string') return value.length > MAX_TEXT_SHOWN ? `${value.slice(0, MAX_TEXT_SHOWN)}...` : value;
  if (value instanceof Uint8Array) return showBytes(value);
  if (value instanceof Error) return errorLine(value);
  if (Array.isArray(value)) return value.map(showValue);
  // Plain objects only: a class decides through toJSON its shown form.
  if (value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype)
    return showFields(value);
  return value;
}

function showBytes(bytes: Uint8Array): string {
  if (bytes.length > MAX_BYTES_SHOWN) return `<${bytes.length} bytes>`;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
