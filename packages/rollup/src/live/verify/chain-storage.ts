import type { Row } from '@switchyard/machine/browser';
import type { Validator } from '@switchyard/protocol';
import type { ChainHead, ChangedRow } from './executed-chain.ts';

/** Facts of a chain besides its rows, in a form that browsers store. */
export interface ChainFacts {
  readonly chainId: string;
  /** The newest executed block; undefined if none was executed. */
  readonly head: ChainHead | undefined;
  /** Trusted validators of the sequencer; undefined before the first signed block. */
  readonly validators: readonly Validator[] | undefined;
}

/** Where a verifier keeps its chain, for one rollup. A write is durable as a whole, or not at all. */
export interface ChainStorage {
  /** `isOwn` unless another client may write too, so that the first write has to be whole. */
  read(): Promise<{ readonly facts: ChainFacts; readonly rows: readonly Row[]; readonly isOwn: boolean } | undefined>;
  /** @param isWhole Whether these are all rows; changed ones otherwise. */
  write(facts: ChainFacts, rows: readonly ChangedRow[], isWhole: boolean): Promise<void>;
}
