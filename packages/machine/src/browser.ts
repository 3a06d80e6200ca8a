/** The part that needs nothing of Node, for definitions of state that pages load too. */
export { balances, credit, debit, transfer } from './accounts.ts';
export type { ActionContext } from './action.ts';
export { NodeFault, readStored } from './fault.ts';
export { accountId, text, txHash, u32Key, u64Key } from './keys.ts';
export { Steps } from './steps.ts';
export type { Overlay } from './store/overlay.ts';
export { MAX_KEY_LENGTH, type RangeOptions, type Row, type StateReader, type StateWriter } from './store/state.ts';
export { INDEX_PREFIX, type Snapshot } from './store/store.ts';
export { table } from './table.ts';
export { struct, u32, u64, u128 } from './values.ts';
