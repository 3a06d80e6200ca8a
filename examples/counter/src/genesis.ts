import { type RollupGenesis, readJson, readRollupGenesis, record, unsigned } from '@switchyard/rollup';

export interface CounterGenesis extends RollupGenesis {
  /** The first total. */
  readonly start: bigint;
}

const genesis = record(
  (reader): CounterGenesis => ({
    ...readRollupGenesis(reader),
    start: reader.optional('start', unsigned(64), 0n),
  }),
);

/** @throws {InvalidConfig} naming every mistake with its file and key. */
export function parseGenesis(text: string, file: string): CounterGenesis {
  return readJson(text, file, genesis);
}
