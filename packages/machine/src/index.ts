export * from './browser.ts';
export { type LmdbOptions, openLmdbStore } from './store/lmdb.ts';
export { verifyStateFile } from './store/verify-file.ts';
