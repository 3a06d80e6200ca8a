import { Buffer } from 'buffer';
import { resolve } from './path.ts';

/* Files of `node:fs` in the memory of a page: settings, keys and genesis files of its network. Its stores are elsewhere. */

const files = new Map<string, Uint8Array>();

const place = (path: string | URL): string => resolve(typeof path === 'string' ? path : path.pathname);

export const existsSync = (path: string): boolean => files.has(place(path));
export const mkdirSync = (): void => undefined;
export const mkdtempSync = (prefix: string): string => `${prefix}page`;
export const readdirSync = (): readonly string[] => [];
export const readlinkSync = (path: string): never => missing(path);
export const statfsSync = (path: string): never => missing(path);

export function readFileSync(path: string | URL, encoding?: 'utf8'): string | Uint8Array {
  const bytes = files.get(place(path)) ?? missing(place(path));
  return encoding === undefined ? bytes : Buffer.from(bytes).toString(encoding);
}

export function writeFileSync(path: string, content: string | Uint8Array): void {
  files.set(place(path), typeof content === 'string' ? new TextEncoder().encode(content) : content);
}

export function rmSync(path: string, { recursive = false } = {}): void {
  const at = place(path);
  for (const each of files.keys()) if (each === at || (recursive && each.startsWith(`${at}/`))) files.delete(each);
}

/** A file is its own handle, of which only its owner can read. */
export const openSync = place;
export const closeSync = (): void => undefined;
export const statSync = (path: string) => ({
  ...{ size: (files.get(place(path)) ?? missing(path)).length, mode: 0o600, isFile: () => true },
  ...{ ino: 1, mtimeMs: 0, ctimeMs: 0 },
});
export const fstatSync = statSync;

/** `node:fs/promises`. */
export const readFile = async (path: string, encoding?: 'utf8') => readFileSync(path, encoding);
export const stat = async (path: string) => statSync(path);
export const open = async (path: string) => ({
  readFile: async (encoding?: 'utf8') => readFileSync(path, encoding),
  stat: async () => statSync(path),
  close: async () => undefined,
});

function missing(path: string): never {
  throw Object.assign(new Error(`ENOENT: no such file, ${path}`), { code: 'ENOENT' });
}
