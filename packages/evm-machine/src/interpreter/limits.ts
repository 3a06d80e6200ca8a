/** Calls inside one another. */
export const MAX_DEPTH = 1_024;
/** EIP-7825: gas of one transaction; with EIP-8037, the cost of state comes on top. */
export const MAX_GAS = 16_777_216;
/** EIP-2681. */
export const MAX_NONCE = (1n << 64n) - 1n;
