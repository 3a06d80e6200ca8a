import type { ProcessContext } from '@switchyard/service';
import { fields, type SequencerConfig } from './config.ts';
import type { MakeBlock } from './engine/engine.ts';
import { runNode } from './node.ts';

export type { MakeBlock };

/** The process, for its own program and for a program that runs several. */
export const sequencer = {
  ...{ name: 'sequencer', fields },
  main: (config: SequencerConfig, context: ProcessContext) => runNode(config, context),
};

/**
 * The process in which a solo engine makes only requested blocks, and the first one of a chain.
 *
 * @param offer Is given the function that makes one, once the process can.
 */
export const sequencerOnDemand = (offer: (makeBlock: MakeBlock) => void) => ({
  ...sequencer,
  main: (config: SequencerConfig, context: ProcessContext) => runNode(config, context, offer),
});
