/** The part that needs nothing of Node, for definitions of state that pages load too. */
export { balances, credit, debit, transfer } from './accounts.ts';
export { accountId, assetId, text, u32Key, u64Key } from './keys.ts';
export { MAX_KEY_LENGTH, type StateReader, type StateWriter } from './store/state.ts';
export { INDEX_PREFIX, type Snapshot } from './store/store.ts';
export { table } from './table.ts';
export { raw } from './values.ts';
