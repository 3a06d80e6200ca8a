/**
 * Ids, addresses, assets, amounts and refusals, without keys and generated messages: the parser of a command line. It
 * loads in a tenth of the time of the whole package.
 */
export * from './address.ts';
export * from './amount.ts';
export * from './asset.ts';
export * from './errors.ts';
export * from './ids.ts';
export * from './in-words.ts';
export * from './uint128.ts';
