/** Rollups by schemas, and their clients. It runs in web pages too: nothing of Node is loaded. */
export { balances, credit, debit, transfer } from '@switchyard/machine/browser';
export { Rejected } from '@switchyard/protocol';
export { checkWithdrawal, MAX_WITHDRAWAL_MEMO_BYTES, withdraw } from './app/withdrawals.ts';
export { announcedUpgrade, announceUpgrade } from './define/announce.ts';
export {
  clientAt,
  clientOf,
  type DefinitionClient,
} from './define/client.ts';
export { type Contract, contractFrom } from './define/contract.ts';
export {
  type Action,
  type Actions,
  type AnyRollup,
  action,
  type CheckContext,
  type DefinedRollup,
  defineRollup,
  definitionIn,
  type Fallback,
  fallback,
  type GenesisOf,
  type HandlerContext,
  type Parameters,
  type Queries,
  type Query,
  query,
} from './define/definition.ts';
export { type EventOf, type Events, type EventType, event } from './define/events.ts';
export { refusal } from './define/refusals.ts';
export { cancel, schedule } from './define/schedule.ts';
export { type AnySigner, SubmissionFailed, type SubmitOptions, TransactionRefused } from './define/submission.ts';
export { type Single, single, type Table, table } from './define/table.ts';
export { type BodyOf, decodeBody, signTransaction } from './define/transaction.ts';
export { type UpgradePlan, upgradePlan } from './define/upgrade-plan.ts';
export { wireEncoder } from './define/wire-body.ts';
export { map } from './schema/map.ts';
export { oneOf } from './schema/one-of.ts';
export { address, asset, bool, bytes, text, u32, u64, u128 } from './schema/scalars.ts';
export { type Flat, list, option, type RecordType, record, type UnionType, union } from './schema/shapes.ts';
export { i32, i64, i128 } from './schema/signed.ts';
export { since } from './schema/since.ts';
export { textAddress, textAsset } from './schema/text-forms.ts';
export { described, numbered, type Type, type ValueOf } from './schema/type.ts';
