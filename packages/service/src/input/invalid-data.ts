import { ForeseenError } from '@switchyard/protocol/values';

/** One thing that is wrong with data from outside. */
export interface Problem {
  /** Such as `accounts[2].balance.lo`, in the spelling of the document; empty for the whole of it. */
  readonly path: string;
  readonly message: string;
  /** Text that follows "expected" and "got" in the message, if it has that form. */
  readonly expected?: string;
  readonly got?: string;
}

/** Data from outside the process (a file, a request, the response of another node) that its reader did not expect. */
export class InvalidData extends ForeseenError {
  override readonly name = 'InvalidData';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[] | string, options?: ErrorOptions) {
    const all = typeof problems === 'string' ? [{ path: '', message: problems }] : problems;
    super(all.map(problemText).join('\n'), options);
    this.problems = all;
  }
}

export function problemText({ path, message }: Problem): string {
  return path === '' ? message : `${path}: ${message}`;
}

export function unexpected(path: string, expected: string, got?: string): Problem {
  return got === undefined
    ? { path, message: `expected ${expected}`, expected }
    : { path, message: `expected ${expected}, got ${got}`, expected, got };
}

/** A value as an error may repeat it: short regardless of its size, and nothing that breaks a line. */
export function shown(value: unknown): string {
  if (typeof value === 'string') {
    return value.length <= MAX_SHOWN
      ? JSON.stringify(value)
      : `${JSON.stringify(value.slice(0, 40))}… of ${value.length} characters`;
  }
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  const digits = String(value);
  return digits.length <= 2 * MAX_SHOWN ? digits : `a number of ${digits.length} digits`;
}

/** The length of a hash in hex with `0x`. */
const MAX_SHOWN = 66;
