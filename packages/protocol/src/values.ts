/**
 * Ids, addresses, assets, amounts and refusals, without keys and generated messages: the parser of a command line. It
 * loads in a tenth of the time of the whole package.
 */
export * from './accounts/address.ts';
export * from './accounts/amount.ts';
export * from './accounts/asset.ts';
export * from './accounts/coin.ts';
export * from './accounts/ids.ts';
export * from './accounts/in-words.ts';
export * from './bytes/uint128.ts';
export * from './errors.ts';
