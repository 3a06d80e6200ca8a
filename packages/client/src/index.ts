export { InvalidData } from '@switchyard/service/input';
export { BelievedNonce } from './believed-nonce.ts';
export { BlockVerifier, checkClaims, type VerifierOptions } from './block-verifier.ts';
export {
  type BatchOptions,
  type BundleEntry,
  type CollectorClient,
  collectorCalls,
  collectorClient,
  type Refusal,
  refusalOf,
  type SequencerPosition,
  type SubmissionState,
} from './collector.ts';
export {
  type CheckResult,
  type NodeBlock,
  type NodeStatus,
  QueryFailed,
  type TxExecution,
  type TxResult,
} from './comet.ts';
export type { TxEvent } from './comet-json.ts';
export { type Endpoint, Endpoints } from './endpoints.ts';
export { type FollowOptions, followEvents, type StreamEvent } from './event-stream.ts';
export { type ExecutionClient, executionClient } from './execution.ts';
export { type BlockReader, findInBlocks } from './find-in-blocks.ts';
export { HaltWatch } from './halt.ts';
export { type ProofSource, ProvenHeights } from './proven-heights.ts';
export type { AssetAmount, BridgeAccount } from './queries.ts';
export { type ReplayReport, type ReplayStep, type ReplayTransaction, replayReport } from './replay-report.ts';
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
} from './rollup.ts';
export { type SequencerClient, type SequencerClientOptions, sequencerClient } from './sequencer.ts';
export { sequencerEndpoints } from './sequencer-endpoints.ts';
export type { StreamedBlocks } from './sequencer-grpc.ts';
export { type Settled, type Spender, settledSearch } from './settled.ts';
export {
  type SubmitOptions,
  type Submittable,
  type Submitted,
  submitAndWait,
  TransactionRefused,
} from './submitter.ts';
export { type Checkpoint, Unprovable } from './trust.ts';
export { verdictOf } from './verdict.ts';
export { type Reading, watchEndpoints } from './watch-endpoints.ts';
