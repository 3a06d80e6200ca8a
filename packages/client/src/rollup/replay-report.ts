import { list, object, optional, type TypeOf, text, unsigned } from '@switchyard/service/input';

const write = object({ key: text, value: optional(text) });

/** An action, or the crediting of a deposit, executed again. */
const step = object({
  /** Kind of the action. */
  kind: text,
  /** JSON of each event. */
  events: list(text),
  /** In their order; the value in hex, absent if the key was deleted. */
  writes: list(write),
  /** Reason why it was refused. */
  refused: optional(text),
});
export type ReplayStep = TypeOf<typeof step>;

const transaction = object({
  hash: text,
  /** 0: executed. */
  code: text,
  refused: optional(text),
  /** Actions that were begun. */
  actions: list(step),
});
export type ReplayTransaction = TypeOf<typeof transaction>;

const stored = object({ hash: text, stateRoot: text, codes: list(text) });

/** A block of a rollup that was executed again: the line that the program of a replay prints for it. */
export const replayReport = object({
  number: unsigned(64),
  sequencerHeight: unsigned(64),
  hash: text,
  stateRoot: text,
  deposits: list(step),
  transactions: list(transaction),
  /** Contents of the database for the block; absent if it was not queried, or has deleted the block. */
  stored: optional(stored),
  /** `other`: the sequencer has other data than the block was made from; `unknown`: the database has no digest of it. */
  inputs: optional(text),
});
export type ReplayReport = TypeOf<typeof replayReport>;
