/** Errors and texts about damaged stores; needs no database. */
import type { Problem } from './pages/inspect.ts';
import type { KeyRange } from './pages/walk.ts';

/** Exit status of a process whose data on disk is damaged: EX_DATAERR of sysexits.h. */
export const EXIT_DAMAGED = 65;

/** Data on disk differs from the written data. The process stops: an answer from it could be wrong. */
export class StoreDamaged extends Error {
  override readonly name = 'StoreDamaged';
  readonly exitCode = EXIT_DAMAGED;

  /** @param what The place in the file, and the expected value. */
  constructor(
    readonly directory: string,
    readonly file: string,
    what: string,
  ) {
    super(`${file} is damaged: ${what}; repair it with \`switchyard repair ${quoted(directory)}\``);
  }
}

/** For one line of text. */
export function problemText({ table, range, what }: Problem): string {
  const where = rangeText(range);
  const inTable = table === undefined || table === '' ? '' : `table ${table}, `;
  return where === undefined ? `${inTable}${what}` : `${inTable}${where}: ${what}`;
}

export function rangeText({ after, before }: KeyRange): string | undefined {
  if (after === undefined && before === undefined) return undefined;
  if (after !== undefined && before !== undefined && after.equals(before)) return `key ${keyText(after)}`;
  if (after === undefined && before !== undefined) return `keys below ${keyText(before)}`;
  if (before === undefined && after !== undefined) return `keys from ${keyText(after)} on`;
  return `keys from ${keyText(after ?? Buffer.alloc(0))} to ${keyText(before ?? Buffer.alloc(0))}`;
}

const LONGEST_KEY = 80;

/** Text if the key is printable, else hex. */
export function keyText(key: Uint8Array): string {
  const bytes = Buffer.from(key.buffer, key.byteOffset, key.byteLength);
  const printable = bytes.length > 0 && bytes.every((byte) => byte > 0x20 && byte < 0x7f);
  const text = printable ? bytes.toString('latin1') : `0x${bytes.toString('hex')}`;
  return text.length > LONGEST_KEY ? `${text.slice(0, LONGEST_KEY)}...` : text;
}

/** So that a printed command can be pasted into a shell. */
export function quoted(path: string): string {
  return /^[\w./:@%+=-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
