/** A process of ours that a command starts for its own work, and ends with it. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Failure } from '@switchyard/service/failure';

export interface Child {
  /** Rejects with a line on why, once the process has ended without a request. */
  readonly ended: Promise<never>;
  /** The first value that it sends under this name by `sendToParent`. */
  sent(field: string): Promise<string>;
  stop(): Promise<void>;
}

const STOP_MS = 15_000;
const MAX_LINE = 2_000;

export interface ChildOptions {
  /** Options of Node. */
  readonly node?: readonly string[];
  /** Takes each line of its output. */
  readonly onLine?: (line: string) => void;
  /** Takes its messages. */
  readonly onMessage?: (facts: Readonly<Record<string, unknown>>) => void;
}

/** @param env All that it gets besides PATH and HOME. */
export function startChild(
  name: string,
  entry: string,
  env: Readonly<Record<string, string>>,
  user: NodeJS.ProcessEnv,
  { node = [], onLine = () => undefined, onMessage = () => undefined }: ChildOptions = {},
): Child {
  const passed = Object.fromEntries(['PATH', 'HOME', 'TZ'].flatMap((key) => (user[key] ? [[key, user[key]]] : [])));
  const child = spawn(process.execPath, [...node, entry], {
    env: { ...passed, ...env, SWITCHYARD_PARENT_PIPE: '1' },
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  });
  // It may be gone before its end is noticed.
  child.stdin?.on('error', () => undefined);
  const waiting = new Map<string, (value: string) => void>();
  let trouble = '';
  let isStopping = false;
  const take = (line: string) => {
    const { level, ...fields } = toFields(line);
    onLine(line);
    if (level === undefined || level === 'error' || level === 'fatal') trouble = toText(line, fields);
  };
  for (const stream of [child.stdout, child.stderr])
    if (stream !== null) createInterface({ input: stream }).on('line', take);
  child.on('message', (message) => {
    const facts = { ...Object(message) };
    onMessage(facts);
    for (const [field, resolve] of waiting) if (typeof facts[field] === 'string') resolve(facts[field]);
  });
  const closed = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) =>
      resolve(trouble === '' ? `it ended with ${signal ?? `status ${code}`}` : trouble),
    );
  });
  const ended = closed.then((why): never => {
    throw new Failure(isStopping ? `${name} was stopped` : `${name}: ${why}`);
  });
  ended.catch(() => undefined);
  return {
    ended,
    sent: (field) => Promise.race([new Promise<string>((resolve) => waiting.set(field, resolve)), ended]),
    async stop() {
      isStopping = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      const last = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await closed;
      clearTimeout(last);
    },
  };
}

function toFields(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return { ...value };
  } catch {
    // Text, as the last line of a process that failed.
  }
  return {};
}

function toText(line: string, { msg, error, reason }: Readonly<Record<string, unknown>>): string {
  const parts = [msg, error ?? reason].filter((part) => typeof part === 'string');
  return (parts.length === 0 ? line : parts.join(': ')).slice(0, MAX_LINE);
}
