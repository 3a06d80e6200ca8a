/** Clients of a rollup by its definition, in Node and in web pages. */
export { clientAt, clientOf, type DefinitionClient, type UntypedClient } from './define/client.ts';
export { type FollowRowsOptions, followRows, type RowChanges } from './define/follow-rows.ts';
export {
  type AnySigner,
  type OutcomeOf,
  SubmissionFailed,
  type SubmitOptions,
  TransactionRefused,
  type WalletSigner,
} from './define/submission.ts';
export { signTransaction } from './define/transaction.ts';
