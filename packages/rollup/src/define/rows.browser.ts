import { executionParts } from './execution-parts.ts';
import type * as nodes from './rows.node.ts';

/* A page has no committed state, which indexes and pages are of. Types are the newest ones in a page that executes no block. */

export const typeByBlock: typeof nodes.typeByBlock = (newest) => () => executionParts.typeNow?.(newest) ?? newest;
export const isCounted: typeof nodes.isCounted = (state) => executionParts.isCounted?.(state) ?? false;
export const storedIndexes: typeof nodes.storedIndexes = () => [];
export const getPages: typeof nodes.getPages =
  ({ name }) =>
  () => {
    throw new Error(`table ${name}: a page has no committed state`);
  };
