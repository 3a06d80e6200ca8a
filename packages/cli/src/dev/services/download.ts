import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { plain } from '@switchyard/protocol/hidden-characters';
import { Failure } from '@switchyard/service/failure';
import { makeWhole } from '../files/files.ts';
import { type Download, notedProgram } from './program.ts';

export interface DownloadOptions {
  /** Receives progress. */
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal;
  /** Limit for the file; its unpacked contents may be four times as much. */
  readonly maxBytes?: number;
  /** Without a byte for this long, it has failed. */
  readonly idleMs?: number;
}

const MAX_BYTES = 1024 ** 3;
const IDLE_MS = 30_000;
const REPORT_EVERY_MS = 2_000;

/**
 * Makes sure that the program of a service is in the instance's `bin/`, by downloading it the first time. The file is
 * written next to its place, checked against its hash, unpacked, and only then moved there.
 *
 * @returns The program's path.
 * @throws {Failure} when it cannot be had; nothing is left of it then.
 */
export async function fetchProgram(download: Download, options: DownloadOptions): Promise<string> {
  const { directory } = download;
  const before = notedProgram(directory);
  if (before !== undefined) return join(directory, before);
  let program = '';
  const make = async (work: string) => {
    const file = join(work, 'file');
    await receive(download, file, options);
    const unpacked = join(work, 'unpacked');
    // The library that reads archives is only needed here.
    const { unpack } = await import('./unpack.ts');
    program = await unpack(file, unpacked, download, 4 * (options.maxBytes ?? MAX_BYTES));
    await rm(directory, { recursive: true, force: true });
    return unpacked;
  };
  await makeWhole(directory, make, options.signal);
  return join(directory, program);
}

async function receive(download: Download, path: string, options: DownloadOptions): Promise<void> {
  const { url, sha256, where } = download;
  const { say, maxBytes = MAX_BYTES, idleMs = IDLE_MS } = options;
  const failed = (what: string, cause?: unknown) => new Failure(`${where}.download_url: ${url}: ${what}`, cause);
  const idle = new AbortController();
  const timer = setTimeout(() => idle.abort(), idleMs);
  const signal = options.signal === undefined ? idle.signal : AbortSignal.any([idle.signal, options.signal]);
  const name = basename(new URL(url).pathname) || url;
  const file = await open(path, 'wx', 0o600);
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    const response = await fetch(url, { signal });
    if (!response.ok || response.body === null)
      throw failed(`the server answers ${response.status} ${plain(response.statusText)}`);
    const length = Number(response.headers.get('content-length') ?? Number.NaN);
    if (length > maxBytes) throw failed(`is ${megabytes(length)}, the most is ${megabytes(maxBytes)}`);
    const item = Number.isNaN(length) ? '' : ` of ${megabytes(length)}`;
    say(`downloading ${name}${item} from ${new URL(url).host}`);
    let reported = performance.now();
    for await (const chunk of response.body) {
      timer.refresh();
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw failed(`is more than ${megabytes(maxBytes)}`);
      hash.update(chunk);
      await writeAll(file, chunk);
      if (performance.now() - reported < REPORT_EVERY_MS) continue;
      reported = performance.now();
      say(`downloading ${name}: ${megabytes(bytes)}${item}`);
    }
  } catch (error) {
    if (error instanceof Failure || options.signal?.aborted) throw error;
    if (isFileError(error)) throw error;
    throw failed(
      `${idle.signal.aborted ? `nothing came for ${idleMs / 1_000} s` : getReason(error)}. Without a network, fetch it by other means and name the program in local_path`,
      error,
    );
  } finally {
    clearTimeout(timer);
    await file.close();
  }
  const got = hash.digest('hex');
  if (sha256 !== '' && got !== sha256) {
    throw new Failure(
      `${where}.sha256: expected ${sha256}, but ${url} gave ${megabytes(bytes)} with ${got}; it was thrown away`,
    );
  }
  say(
    sha256 === ''
      ? `downloaded ${name}, ${megabytes(bytes)}, unchecked: ${where} has no sha256; this file has ${got}`
      : `downloaded ${name}, ${megabytes(bytes)}, and its sha256 is right`,
  );
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  let at = 0;
  while (at < chunk.byteLength) at += (await file.write(chunk, at)).bytesWritten;
}

/** A full disk, a directory that may not be written: not the network's fault. */
function isFileError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'write';
}

/** The network's error, which `fetch` puts into the cause. */
function getReason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
