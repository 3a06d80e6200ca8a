/** Signed transactions without the queries: commands that only sign load half as much. */
export { MAX_NAME_BYTES, MAX_TEXT_BYTES } from '../wire/limits.ts';
export { signActions, signActionsAsync, type TransactionParameters } from './sign.ts';
export { signText, type TextFields, type TextParameters, textAction } from './sign-text.ts';
export { signTransfer, type TransferFields, type TransferParameters, transferAction } from './sign-transfer.ts';
export { signWithdraw, type WithdrawFields, type WithdrawParameters, withdrawAction } from './sign-withdraw.ts';
