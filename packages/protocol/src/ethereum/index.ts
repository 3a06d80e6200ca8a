/** Encodings of Ethereum, which the EVM rollup, its explorer and its tools share. Needs Node. */
export * from './address.ts';
export * from './hex.ts';
export * from './keccak.ts';
export * from './payment.ts';
export * from './quantity.ts';
export * from './rlp.ts';
