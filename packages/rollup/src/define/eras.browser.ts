import type * as nodes from './eras.node.ts';

/* A page executes no block, so that its types are the newest ones; nodes have checked how they follow each other. */

export const typeByBlock: typeof nodes.typeByBlock = (newest) => () => newest;
export const mustBeUpgrades: typeof nodes.mustBeUpgrades = () => undefined;
