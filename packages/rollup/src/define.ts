/** Rollups by schemas, and their clients. It runs in web pages too: nothing of Node is loaded. */
export { balances, credit, debit, transfer } from '@switchyard/machine/browser';
export { Rejected } from '@switchyard/protocol';
export { withdraw } from './app/withdrawals.ts';
export {
  type AnySigner,
  clientAt,
  clientOf,
  type DefinitionClient,
  type SubmitOptions,
  TransactionRefused,
} from './define/client.ts';
export { type Contract, contractFrom } from './define/contract.ts';
export {
  type Actions,
  type AnyRollup,
  action,
  type DefinedRollup,
  defineRollup,
  fallback,
  type HandlerContext,
  type Parameters,
  type Queries,
  query,
} from './define/definition.ts';
export { single, table } from './define/table.ts';
export { signTransaction } from './define/transaction.ts';
export { address, asset, bool, bytes, text, u32, u64, u128 } from './schema/scalars.ts';
export { list, option, record, union } from './schema/shapes.ts';
export { described, numbered, type ValueOf } from './schema/type.ts';
