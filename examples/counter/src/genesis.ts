import { type RollupGenesis, readGenesis } from '@switchyard/rollup';
import { optional, unsigned } from '@switchyard/service/input';

export interface CounterGenesis extends RollupGenesis {
  /** The first total. */
  readonly start: bigint;
}

/** @throws {InvalidConfig} naming every mistake with its file and key. */
export function parseGenesis(text: string, file: string): CounterGenesis {
  return readGenesis(text, file, { start: optional(unsigned(64), 0n) });
}
