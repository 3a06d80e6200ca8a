import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLineCutter } from '@switchyard/network/supervisor/lines';
import { wallDate } from '@switchyard/service';
import { Failure, tried, usage } from '@switchyard/service/failure';
import { didYouMean } from '@switchyard/service/settings';
import type { InstancePaths } from '../instance/home.ts';
import { readInstance, requireInstance } from '../instance/instance.ts';
import { TOOL } from './names.ts';
import { type LogLine, type LogSource, logSources, readLogs, stampReader } from './read.ts';

export interface LogQuery {
  /** None: all, with the tool's own lines. */
  readonly services: readonly string[];
  /** Only lines from this time on. */
  readonly since?: Date | undefined;
  /** Only this many of the last lines; absent: all. */
  readonly tail?: number | undefined;
  /** Follows new lines until it aborts. */
  readonly follow?: AbortSignal | undefined;
}

/**
 * Lines of an instance's services by time, whether it runs or not.
 *
 * @param onLine A slow reader may have it wait.
 * @returns the services whose lines were read.
 * @throws {Failure} on a service that has no log and is in no file.
 */
export async function showLogs(
  paths: InstancePaths,
  env: NodeJS.ProcessEnv,
  query: LogQuery,
  onLine: (line: LogLine, services: readonly string[]) => void | Promise<void>,
): Promise<readonly string[]> {
  requireInstance(paths);
  const all = logSources(paths, servicesIn(paths, env));
  const names = all.map(({ service }) => service);
  for (const service of query.services) {
    if (names.includes(service)) continue;
    throw new Failure(`no service ${service}, there is ${names.join(', ')}${didYouMean(service, names)}`);
  }
  const sources = query.services.length === 0 ? all : all.filter(({ service }) => query.services.includes(service));
  const shown = sources.map(({ service }) => service);
  const following = query.follow === undefined ? undefined : followLogs(sources, query.follow);
  // Asked for its first lines now, it begins at the end of the reading.
  const upcoming = following?.next();
  const last: LogLine[] = [];
  for await (const line of readLogs(sources, query.since?.toISOString())) {
    if (query.follow?.aborted) break;
    if (query.tail === undefined) await onLine(line, shown);
    else {
      last.push(line);
      if (last.length > 2 * query.tail + 1_000) last.splice(0, last.length - query.tail);
    }
  }
  if (query.tail !== undefined && query.tail > 0) for (const line of last.slice(-query.tail)) await onLine(line, shown);
  if (following === undefined || upcoming === undefined) return shown;
  for (let next = await upcoming; !next.done; next = await following.next()) await onLine(next.value, shown);
  return shown;
}

/** Names of the services of all networks that can be read: a mistake in a file must not hide the logs. */
function servicesIn(paths: InstancePaths, env: NodeJS.ProcessEnv): string[] {
  return tried(Failure, [], () => {
    const { network, networks } = readInstance(paths, 'local', env);
    const others = networks.filter((name) => name !== network.name);
    const services = [network, ...others.map((name) => readInstance(paths, name, env).network)];
    return services.flatMap((one) => one.services.map(({ name }) => name)).filter((name) => name !== TOOL);
  });
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `10m`, `2h`, `1d` before now, or a time such as `2026-01-31T12:00:00Z`. @throws {Failure} */
export function parseSince(text: string, now = wallDate()): Date {
  const [, amount, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const ms = amount === undefined ? Number.NaN : Number(amount) * (UNITS[unit ?? ''] ?? Number.NaN);
  const time = Number.isNaN(ms)
    ? /^\d{4}-\d\d-\d\d/.test(text)
      ? new Date(text)
      : new Date(Number.NaN)
    : new Date(now.getTime() - ms);
  if (!Number.isNaN(time.getTime())) return time;
  throw usage(`--since: expected 90s, 10m, 2h, 1d or a time such as 2026-01-31T12:00:00Z, got ${text}`);
}

const LOOK_EVERY_MS = 150;
const PIECE = 64 * 1024;

/** New lines of several services from now on, in the order of their times as far as they come together. */
async function* followLogs(sources: readonly LogSource[], signal: AbortSignal): AsyncGenerator<LogLine> {
  const tails = sources.map(toTail);
  while (!signal.aborted) {
    const lines = tails.flatMap((tail) => tail.more());
    yield* lines.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}

/** One log file, read as it grows. */
function toTail({ service, path, size }: LogSource) {
  const read = stampReader(service);
  let lines: LogLine[] = [];
  const cutter = createLineCutter((line) => {
    if (line !== '') lines.push(read(line));
  });
  let file = statSync(path, { throwIfNoEntry: false })?.ino;
  let at = size;
  const take = (from: string) => {
    const descriptor = openSync(from, 'r');
    try {
      const buffer = Buffer.alloc(PIECE);
      for (
        let count = readSync(descriptor, buffer, 0, PIECE, at);
        count > 0;
        count = readSync(descriptor, buffer, 0, PIECE, at)
      ) {
        cutter.push(buffer.subarray(0, count));
        at += count;
      }
    } finally {
      closeSync(descriptor);
    }
  };
  return {
    /** Lines added since the last call. */
    more(): LogLine[] {
      lines = [];
      const now = statSync(path, { throwIfNoEntry: false });
      if (now === undefined) return lines;
      try {
        if (now.ino !== file) {
          // Set aside since the last look: its end is there now, and the file starts again.
          const aside = statSync(`${path}.1`, { throwIfNoEntry: false });
          if (file !== undefined && aside?.ino === file) take(`${path}.1`);
          file = now.ino;
          at = 0;
        } else if (now.size < at) at = 0;
        if (now.size > at) take(path);
      } catch {
        // It was removed between two calls.
      }
      return lines;
    },
  };
}
