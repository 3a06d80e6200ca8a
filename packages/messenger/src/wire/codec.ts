import type { Reader, Writer } from '@switchyard/protocol';

/**
 * The wire form of one kind of action, written by hand because every transaction passes through it at least twice. `F` is its
 * fields as they stand in the message, which may come in pieces that are merged.
 */
export interface ActionCodec<A extends { readonly kind: string }, F> {
  /** Field number of the action's message in `Action`. */
  readonly field: number;
  /** Name of the message, for refusals. */
  readonly name: string;
  readonly none: F;
  read(message: Reader, before: F): F;
  /** @throws {Rejected} `malformed` for parts that are missing or do not parse. */
  parse(fields: F): A;
  write(message: Writer, action: A): void;
}
