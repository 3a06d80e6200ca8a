/** The part that needs nothing of Node: pages execute blocks with it too. */
export { balances, credit, debit, nonces, transfer } from './accounts.ts';
export type { ActionContext, ActionHandler, Registry } from './action.ts';
export { decodeValue, encodeValue, type KeyCodec, type ValueCodec, type ValueOf } from './codec.ts';
export {
  checkActions,
  type ExecutableTransaction,
  type Execution,
  executeActions,
  executeTransaction,
  expectInTime,
  expectNonce,
} from './execute.ts';
export { NodeFault, readStored } from './fault.ts';
export { accountId, assetId, blockHash, pair, rollupId, text, txHash, u32Key, u64Key } from './keys.ts';
export { Steps } from './steps.ts';
export { engineRests, isEngineAtWork } from './store/engine-work.ts';
export { createMemoryStore } from './store/memory.ts';
export { MemoryRows } from './store/memory-rows.ts';
export { Overlay } from './store/overlay.ts';
export { MAX_KEY_LENGTH, type RangeOptions, type Row, type StateReader, type StateWriter } from './store/state.ts';
export { type Head, INDEX_PREFIX, type Layer, type Snapshot, type Store } from './store/store.ts';
export { type Table, type TableRange, table } from './table.ts';
export { bool, bytes, list, optional, raw, struct, u32, u64, u128, unit } from './values.ts';
