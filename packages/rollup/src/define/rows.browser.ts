import { executionParts } from './execution-parts.ts';
import type { PagedSnapshot, PageOf } from './row-pages.ts';
import type * as nodes from './rows.node.ts';

/* A page has no committed state, which indexes and pages are of. Types are the newest ones in a page that executes no block. */

export const typeByBlock: typeof nodes.typeByBlock = (newest) => () => executionParts.typeNow?.(newest) ?? newest;
export const isCounted: typeof nodes.isCounted = (state) => executionParts.isCounted?.(state) ?? false;
export const storedIndexes: typeof nodes.storedIndexes = () => [];
export const getPages =
  ({ name }: { readonly name: string }) =>
  ({ pageOf }: PagedSnapshot, item: PageOf) => {
    if (pageOf === undefined) throw new Error(`table ${name}: needs a live client`);
    return pageOf(name, item);
  };
