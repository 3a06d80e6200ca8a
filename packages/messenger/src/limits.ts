/** In bytes of UTF-8; a text has at least one. */
export const MAX_TEXT_BYTES = 2_000;
export const MAX_NAME_BYTES = 64;

/** Fee of a text, in the smallest unit of its asset. It is destroyed. */
export const TEXT_FEE = 1n;

/** The bytes of the reference: a signature over nonce, chain id and actions. */
export const wire = { typeUrl: '/transaction.v1.TransactionBody', maxTransactionBytes: 16_384 };
export const MAX_ACTIONS = 64;
