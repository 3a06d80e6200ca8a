/* For a rollup with a machine of its own: the host of its executor, and the way of submissions to the composer. */
export {
  type Collector,
  PartlySubmitted,
  type SubmissionState,
} from './app/collector.ts';
export { composerCollector } from './app/composer-collector.ts';
export { type Forwarded, Forwarder, type ForwarderBounds, type ForwarderDeps } from './app/forwarder.ts';
export { SequencerWatch, type SequencerWatchDeps } from './app/sequencer-watch.ts';
export {
  type BatchOptions,
  type BlockEntry,
  type BlockInput,
  type BlockQuery,
  type Commitments,
  type ExecutedBatch,
  type ExecutionState,
  type Executor,
  ExecutorAway,
  executeInTurn,
  firmLayerHeight,
} from './execution/executor.ts';
export { ExecutionHost } from './execution/host.ts';
export { executionServices } from './execution/services.ts';
