import { type AssetId, type Reader, Rejected, type Writer } from '@switchyard/protocol';
import { InvalidData, type Schema, shown, unexpected } from '@switchyard/service/input';

/** JSON that describes a type completely: another process makes the same type of it. */
export interface Description {
  readonly type: string;
  readonly [member: string]: unknown;
}

/**
 * The values of a field, described once: their one encoding in protobuf, their JSON, and a description of both.
 *
 * A field whose value is `absent` is not written, and a missing field has this value; without one the field
 * is required. `write` and `read` are for a present field.
 */
export interface Type<T> {
  readonly description: Description;
  /** For documentation alone. */
  readonly help: string;
  /** Number of the field; one more than that of the field before it, if undefined. */
  readonly number: number | undefined;
  /** Makes the type unusable; the type that contains it reports this with a name. */
  readonly problem: string | undefined;
  readonly presence: 'required' | 'optional' | 'default' | 'repeated';
  /** Most bytes of the value, without tags and lengths around it. */
  readonly maxBytes: number;
  /** Items of a repeated field. */
  readonly maxItems: number;
  /** Value of a field that is not there. */
  absent(): T | undefined;
  isAbsent(value: T): boolean;
  /** Writes the field, one for each item if it is repeated. */
  write(writer: Writer, number: number, value: T): void;
  /** Reads the field that the reader found: an item if it is repeated. */
  read(reader: Reader): unknown;
  /** Value of the items of a repeated field; a list of them, if undefined. @throws {Unfit} */
  collect?(items: readonly unknown[]): T;
  readonly json: Schema<T>;
  /** Reads the JSON of a newer program, which may have members that are not known here; `json`, if undefined. */
  readonly openJson?: Schema<T>;
  /** The value as `JSON.stringify` takes it, with bigints if a number is meant. Assets are ids, unless there are names of them. */
  toJson(value: T, nameOf?: NameOf): unknown;
}

/** The name of an asset, or another text that reads as it. */
export type NameOf = (asset: AssetId) => string;

/** The values of a type. */
export type ValueOf<T> = T extends Type<infer V> ? V : never;

export const openJson = <T>(type: Type<T>): Schema<T> => type.openJson ?? type.json;

/** A type with other members. */
export function withMembers<T>(type: Type<T>, members: Partial<Type<T>>): Type<T> {
  return { ...type, ...members };
}

/** A sentence for the documentation of a field. See the example of {@link record}. */
export function described<T>(type: Type<T>, help: string): Type<T> {
  return withMembers(type, { help });
}

/** A field of this number; the fields after it count on from there. See the example of {@link record}. */
export function numbered<T>(number: number, type: Type<T>): Type<T> {
  return withMembers(type, { number });
}

/**
 * A value or bytes that do not fit a type; the path grows while it rises. It never leaves the codec, and strangers can cause
 * as many as they like: an `Error` would double the time of a refusal.
 */
export class Mismatch {
  path = '';

  constructor(
    readonly expected: string,
    readonly got: string,
  ) {}
}

export function unfit(expected: string, value: unknown): Mismatch {
  return new Mismatch(expected, shown(value));
}

/** The error with a step more at the beginning of its path; any that is no refusal is a bug, and stays unchanged. */
export function atStep(error: unknown, step: string): unknown {
  if (error instanceof Mismatch) {
    error.path = error.path === '' || error.path.startsWith('[') ? step + error.path : `${step}.${error.path}`;
    return error;
  }
  if (!(error instanceof Rejected)) return error;
  const bytes = new Mismatch('its one encoding', String(error.facts.problem ?? error.message));
  bytes.path = step;
  return bytes;
}

/** Runs work whose errors get a place before their message. */
export function inPlace<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new Error(`${place}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** @returns the refusal of bytes. */
export function rejection(error: unknown): unknown {
  const found = error instanceof Rejected ? atStep(error, '') : error;
  if (!(found instanceof Mismatch)) return error;
  const { path, expected, got } = found;
  return new Rejected('malformed', { ...(path !== '' && { field: path }), expected, got });
}

/** @returns the error of a value that cannot be encoded, which a caller gave. */
export function invalid(error: unknown): unknown {
  return error instanceof Mismatch ? new InvalidData([unexpected(error.path, error.expected, error.got)]) : error;
}
