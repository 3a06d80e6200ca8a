import { showHiddenInJson } from '@switchyard/protocol/hidden-characters';
import { pino } from 'pino';
import { wallDate } from './clock.ts';
import { errorLine } from './error-line.ts';
import { humanLine } from './human-line.ts';
import { type Level, type LogFilter, levelOf } from './log-filter.ts';

/** Facts that go with a sentence. Byte strings, bigints, errors and `Secret`s may be given as they are. */
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

/** Values under such names never reach a log, whoever put them there. */
const SECRET_NAME =
  /^(private_?key|priv_?key|signing_?key|seed|mnemonic|secret|password|authorization|(auth_?|bearer_?)?token)$/i;
const MAX_BYTES_SHOWN = 64;
const MAX_TEXT_SHOWN = 2_000;

/** Writes at once, in the calling thread, so the last line before a crash is not lost. */
export function createLogger(options: LoggerOptions): Logger {
  const level = levelOf(options.filter, options.name);
  const write = options.write ?? standardOutput();
  const { pretty, color = false } = options;
  const line = pretty ? (json: string) => humanLine(json, color) : showHiddenInJson;
  const destination = { write: (json: string) => write(line(json)) };
  const root = pino(
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
      const own = typeof component === 'string' ? levelOf(filter, component, level) : level;
      return wrap(inner.child(showFields(fields), { level: pinoLevel(own) }), own, filter);
    },
    enabled: (wanted) => inner.isLevelEnabled(wanted),
  };
}

function pinoLevel(level: Level): string {
  return level === 'off' ? 'silent' : level;
}

function standardOutput(): (line: string) => void {
  const destination = pino.destination({ fd: 1, sync: true });
  // A reader that went away must not take the process with it.
  destination.on('error', () => undefined);
  return (line) => {
    destination.write(line);
  };
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
  // Plain objects only: a class decides through toJSON what is shown of it.
  if (value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype)
    return showFields(value);
  return value;
}

function showBytes(bytes: Uint8Array): string {
  if (bytes.length > MAX_BYTES_SHOWN) return `<${bytes.length} bytes>`;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
