/** Celestia as bytes: namespaces, shares, trees, proofs, headers, payments. Loads secp256k1, so it is apart from the rest. */
export * from './account.ts';
export * from './blob-tx.ts';
export * from './commitment.ts';
export * from './dah.ts';
export * from './extended-header.ts';
export * from './json.ts';
export * from './namespace.ts';
export * from './namespace-data.ts';
export { NODE_LENGTH } from './nodes.ts';
export * from './pay-for-blobs.ts';
export * from './payment.ts';
export type { Payment, PaymentTerms } from './payment-wire.ts';
export * from './range-proof.ts';
export * from './render.ts';
export * from './shares.ts';
export * from './square.ts';
export * from './tree.ts';
