/** Names that authors of a rollup import. Nothing of Node is loaded: clients in web pages import definitions too. */
export { balances, credit, debit, transfer } from '@switchyard/machine/browser';
export { Rejected } from '@switchyard/protocol';
export { withdraw } from './app/withdrawals.ts';
export { announceUpgrade } from './define/announce.ts';
export {
  type Action,
  action,
  type CheckContext,
  type DefinedRollup,
  defineRollup,
  type Fallback,
  fallback,
  type GenesisOf,
  type HandlerContext,
  type Query,
  query,
} from './define/definition.ts';
export { type EventOf, type EventType, event } from './define/events.ts';
export { type Log, type LogEntry, log } from './define/log.ts';
export { type RefusalType, refusal } from './define/refusals.ts';
export { cancel, schedule } from './define/schedule.ts';
export { type Single, single, type Table, table } from './define/table.ts';
export { map } from './schema/map.ts';
export { oneOf } from './schema/one-of.ts';
export { address, asset, bool, bytes, text, u32, u64, u128 } from './schema/scalars.ts';
export {
  type Flat,
  type ListType,
  list,
  option,
  type RecordType,
  record,
  type UnionType,
  union,
} from './schema/shapes.ts';
export { i32, i64, i128 } from './schema/signed.ts';
export { since } from './schema/since.ts';
export { textAddress, textAsset } from './schema/text-forms.ts';
export { described, numbered, type Type, type ValueOf } from './schema/type.ts';
