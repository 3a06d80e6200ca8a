export { InvalidData } from '@switchyard/service/input';
export { type Endpoint, Endpoints } from './endpoints/endpoints.ts';
export { type Reading, watchEndpoints } from './endpoints/watch-endpoints.ts';
export { type FollowOptions, followEvents, type StreamEvent } from './rollup/event-stream.ts';
export { type ExecutionClient, executionClient } from './rollup/execution.ts';
export { type ReplayReport, type ReplayStep, type ReplayTransaction, replayReport } from './rollup/replay-report.ts';
export {
  type BatchResult,
  type PageQuery,
  type RollupBlock,
  type RollupClient,
  type RollupClientOptions,
  type RollupDeposit,
  type RollupPage,
  RollupRefused,
  type RollupStatus,
  rollupClient,
  type TransactionOutcome,
  type WaitOptions,
} from './rollup/rollup.ts';
export {
  type CheckResult,
  type NodeBlock,
  type NodeStatus,
  QueryFailed,
  type TxExecution,
  type TxResult,
} from './sequencer/comet.ts';
export type { TxEvent } from './sequencer/comet-json.ts';
export { type BlockReader, findInBlocks } from './sequencer/find-in-blocks.ts';
export { HaltWatch } from './sequencer/halt.ts';
export type { AssetAmount, BridgeAccount } from './sequencer/queries.ts';
export { type SequencerClient, type SequencerClientOptions, sequencerClient } from './sequencer/sequencer.ts';
export { sequencerEndpoints } from './sequencer/sequencer-endpoints.ts';
export type { StreamedBlocks } from './sequencer/sequencer-grpc.ts';
export {
  type BatchOptions,
  type BundleEntry,
  type CollectorClient,
  collectorCalls,
  collectorClient,
  findRefusal,
  type Refusal,
  type SequencerPosition,
  type SubmissionState,
} from './submit/collector.ts';
export { Outbox } from './submit/outbox.ts';
export { type Settled, type Spender, settledSearch } from './submit/settled.ts';
export { readSigningKey } from './submit/signing-key.ts';
export {
  type SubmitOptions,
  type Submittable,
  type Submitted,
  submitAndWait,
  TransactionRefused,
} from './submit/submitter.ts';
export { verdictOf } from './submit/verdict.ts';
export { BlockVerifier, checkClaims, type VerifierOptions } from './verify/block-verifier.ts';
export { type ProofSource, ProvenHeights } from './verify/proven-heights.ts';
export { type Checkpoint, Unprovable } from './verify/trust.ts';
