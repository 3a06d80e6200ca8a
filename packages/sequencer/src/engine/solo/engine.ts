import type { SoloConfig, SoloDeps, SoloEngine } from '../engine.ts';

/** One process, one validator, CometBFT's formats. */
export function createSoloEngine(_config: SoloConfig, _deps: SoloDeps): SoloEngine {
  throw new Error('not built yet');
}
