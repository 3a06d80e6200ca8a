/** Everything that clients of the messenger need. It also runs in web pages, and has nothing of the server. */
export { txHashOf as transactionId } from '@switchyard/protocol';
export {
  BODY_TYPE_URL,
  MAX_ACTIONS,
  MAX_NAME_BYTES,
  MAX_TEXT_BYTES,
  MAX_TRANSACTION_BYTES,
  TEXT_FEE,
} from '../wire/limits.ts';
export type { ActionKind, ActionOf, MessengerAction } from '../wire/registry.ts';
export * from './queries.ts';
export { signActions, signActionsAsync, type TransactionParameters } from './sign.ts';
export { signText, type TextFields, type TextParameters, textAction } from './sign-text.ts';
export { signTransfer, type TransferFields, type TransferParameters, transferAction } from './sign-transfer.ts';
export { signWithdraw, type WithdrawFields, type WithdrawParameters, withdrawAction } from './sign-withdraw.ts';
