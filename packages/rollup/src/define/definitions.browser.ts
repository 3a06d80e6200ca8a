import type * as nodes from './definitions.node.ts';

/* A page has definitions that nodes have checked, and reads no bodies. */

export const checkParts: typeof nodes.checkParts = () => undefined;
export const mustBeSynchronous: typeof nodes.mustBeSynchronous = () => undefined;
export const mustBeUpgrades: typeof nodes.mustBeUpgrades = () => undefined;
export const wireDecoder: typeof nodes.wireDecoder = () => () => {
  throw new Error('a page reads no bodies of a wire form');
};
