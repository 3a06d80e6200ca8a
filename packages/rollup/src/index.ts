export { RollupChain } from './app/chain.ts';
export type {
  BlockEvent,
  BlockRecord,
  CommitListener,
  CommittedBlock,
  CreditedDeposit,
  SoftView,
} from './app/commits.ts';
export { type RollupConfig, rollupFields } from './app/config.ts';
export {
  defineRollup,
  type RollupAction,
  type RollupDefinition,
  type RollupTransaction,
  type Spend,
  type TransactionBody,
} from './app/definition.ts';
export { addressRecord, type RollupGenesis, readGenesis } from './app/genesis.ts';
export { type Page, type PageQuery, pageOf } from './app/http/page.ts';
export {
  accountParameter,
  bodyBytes,
  json,
  parameter,
} from './app/http/parameters.ts';
export { address, addressParameter, amount, hash, time } from './app/http/schemas.ts';
export { stateValue } from './app/http/state.ts';
export type { RollupNode } from './app/node.ts';
export { executedAt } from './app/outcomes.ts';
export { provenBlock, proveState } from './app/prove-state.ts';
export { type RollupDeps, type RunningRollup, runRollup } from './app/run.ts';
export { type Found, findItems, IndexBehind, type Search } from './app/search/find-items.ts';
export { hexTermHash, pushWordHashes, termHash } from './app/search/term-hash.ts';
export { TermIndex, type TermSource } from './app/search/term-index.ts';
export { wordsOf } from './app/search/words.ts';
export { startRollup } from './app/start.ts';
export { BALANCES, type StateTable, stateTable } from './app/state-tables.ts';
export { getBlock } from './app/stored-blocks.ts';
export { EventStreams } from './app/streams/event-streams.ts';
export { Feed, type FeedSource } from './app/streams/feed.ts';
export { streamRoute } from './app/streams/stream-route.ts';
export { rfc3339 } from './app/time-text.ts';
export type { WithdrawalRule } from './app/withdrawal-rule.ts';
export {
  type BridgeSheet,
  checkWithdrawal,
  MAX_WITHDRAWAL_MEMO_BYTES,
  type WithdrawalRequest,
  withdraw,
} from './app/withdrawals.ts';
export { type ProcessOptions, rollupProcess } from './define/process.ts';
export { rollupProgram } from './define/program.ts';
export { rollupOf } from './define/rollup-of.ts';
export * from './execution.ts';
