import { accountId, pair, struct, table, txHash, u32Key, u64 } from '@switchyard/machine';

/**
 * Which transaction used a nonce. It answers the one question a submitter has after a crash: was it mine? Outside the
 * root, since it follows from the blocks.
 */
export const nonceSpenders = table({
  prefix: 'index/nonce-spender/',
  key: pair(accountId, u32Key),
  value: struct({ hash: txHash, height: u64 }),
});
