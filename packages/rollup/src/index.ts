export { GENESIS_BLOCK_HASH } from './app/block-hash.ts';
export { RollupChain } from './app/chain.ts';
export {
  type BatchRefusal,
  type Collector,
  PartlySubmitted,
  type SequencerPosition,
  type SubmissionState,
} from './app/collector.ts';
export type {
  BlockEvent,
  BlockRecord,
  CommitListener,
  CommittedBlock,
  CreditedDeposit,
  SoftView,
} from './app/commits.ts';
export { composerCollector } from './app/composer-collector.ts';
export { type RollupConfig, rollupFields } from './app/config.ts';
export {
  defineRollup,
  type RollupAction,
  type RollupDefinition,
  type RollupTransaction,
  type Spend,
  type TransactionBody,
} from './app/definition.ts';
export { type Forwarded, Forwarder, type ForwarderBounds, type ForwarderDeps } from './app/forwarder.ts';
export { addressRecord, type RollupGenesis, readGenesis } from './app/genesis.ts';
export { type Page, type PageQuery, pageOf } from './app/http/page.ts';
export {
  accountParameter,
  bodyBytes,
  integerQuery,
  json,
  parseU64,
  u64Query,
  wordQuery,
} from './app/http/parameters.ts';
export { address, addressParameter, amount, hash, time } from './app/http/schemas.ts';
export type { RollupNode } from './app/node.ts';
export { type RollupDeps, type RunningRollup, runRollup } from './app/run.ts';
export { type Found, findItems, IndexBehind, type Search } from './app/search/find-items.ts';
export { hexTermHash, pushWordHashes, termHash } from './app/search/term-hash.ts';
export { TermIndex, type TermSource } from './app/search/term-index.ts';
export { wordsOf } from './app/search/words.ts';
export { SequencerWatch, type SequencerWatchDeps } from './app/sequencer-watch.ts';
export { startRollup } from './app/start.ts';
export { getBlock } from './app/stored-blocks.ts';
export { EventStreams } from './app/streams/event-streams.ts';
export { Feed, type FeedSource } from './app/streams/feed.ts';
export { streamRoute } from './app/streams/stream-route.ts';
export { rfc3339 } from './app/time-text.ts';
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
  firmLayerHeight,
} from './execution/executor.ts';
export { ExecutionHost } from './execution/host.ts';
export { executionServices } from './execution/services.ts';
