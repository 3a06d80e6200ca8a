export { backupStore } from './backup.ts';
export { CHECKSUM_BYTES, isSealed, sealValue, tableSeed } from './checksum.ts';
export {
  type CompactLimits,
  compactable,
  compactStores,
  ON_COMMAND,
  SPARSE,
} from './compact.ts';
export { EXIT_DAMAGED, keyText, problemText, quoted, rangeText, StoreDamaged } from './damaged.ts';
export { dataFile, examineStore, formatOf, sealCheck, settled, WrongFormat } from './examine.ts';
export { processesUsing } from './in-use.ts';
export { isStoreKind, STORE_KINDS, type StoreKind, type StoreKindName } from './kinds.ts';
export { readLabel } from './label.ts';
export { FULL_CHECK_BYTES } from './lmdb-engine.ts';
export { type DiskSnapshot, inMemory, MemoryDisk } from './memory/disk.ts';
export { isInMemory } from './memory/mounts.ts';
export { EXIT_HALF_WRITTEN, StoreNotWritten } from './not-written.ts';
export { findRecord } from './pages/find.ts';
export { type Inspection, inspectFile, type Problem } from './pages/inspect.ts';
export { PageDamage } from './pages/meta.ts';
export { PageFile } from './pages/page-file.ts';
export { walkTree } from './pages/walk.ts';
export { type ReadOnlyTable, readOnly, readOnlyTables } from './read-only.ts';
export { repairStore, setAside } from './repair.ts';
export { rewriteStore, syncPath } from './rewrite.ts';
export { type ScrubSource, StoreScrub } from './scrub.ts';
export { StoreFile, type StoreFileOptions } from './store-file.ts';
export type { StoreKey, StoreTable } from './store-table.ts';
export { type FoundStore, findStores, SET_ASIDE } from './stores.ts';
export { verifyStore } from './verify.ts';
