/** Names the kind of what is signed, in every transaction. */
export const BODY_TYPE_URL = '/transaction.v1.TransactionBody';

/** In bytes of UTF-8; a text has at least one. */
export const MAX_TEXT_BYTES = 2_000;
export const MAX_NAME_BYTES = 64;
export const MAX_TRANSACTION_BYTES = 16_384;
export const MAX_ACTIONS = 64;

/** Fee of a text, in the smallest unit of the native asset. It is destroyed. */
export const TEXT_FEE = 1n;
