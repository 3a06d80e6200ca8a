/**
 * The HTTP API of the explorer: its records and routes, from which come the answers, their document, and the calls of its
 * pages. It loads nothing that reads or serves.
 */
export * from './bridging.ts';
export type { Column } from './column.ts';
export * from './common.ts';
export * from './evm.ts';
export * from './evm-contracts.ts';
export * from './explorer.ts';
export * from './rollups.ts';
export type { Get, List, Page } from './routes.ts';
export * from './sequencer.ts';
