import type * as nodes from './rows.node.ts';

/* A page executes no block, so that its types are the newest ones, and has no committed state, which indexes and pages are of. */

export const typeByBlock: typeof nodes.typeByBlock = (newest) => () => newest;
export const isCounted: typeof nodes.isCounted = () => false;
export const storedIndexes: typeof nodes.storedIndexes = () => [];
export const getPages: typeof nodes.getPages =
  ({ name }) =>
  () => {
    throw new Error(`table ${name}: a page has no committed state`);
  };
