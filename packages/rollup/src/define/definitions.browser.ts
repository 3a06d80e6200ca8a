import type * as nodes from './definitions.node.ts';
import { executionParts } from './execution-parts.ts';

/* A page has definitions that nodes have checked, and reads bodies only if it executes blocks. */

export const checkParts: typeof nodes.checkParts = () => undefined;
export const mustBeSynchronous: typeof nodes.mustBeSynchronous = () => undefined;
export const mustBeUpgrades: typeof nodes.mustBeUpgrades = () => undefined;
export const wireDecoder: typeof nodes.wireDecoder =
  (...given) =>
  (bytes) => {
    if (executionParts.wireDecoder === undefined) throw new Error('a page without execution');
    return executionParts.wireDecoder(...given)(bytes);
  };
