import { decode } from '../schema/codec.ts';
import type * as nodes from './definitions.node.ts';
import { executionParts } from './execution-parts.ts';
import { wireBody, withActions } from './wire-body.ts';

/* A page has definitions that nodes have checked, and reads the bodies of others only if it executes blocks. */

export const checkParts: typeof nodes.checkParts = () => undefined;
export const mustBeSynchronous: typeof nodes.mustBeSynchronous = () => undefined;
export const mustBeUpgrades: typeof nodes.mustBeUpgrades = () => undefined;
export const wireDecoder: typeof nodes.wireDecoder = (...given) => {
  const body = wireBody(...given);
  return (bytes) => {
    if (executionParts.wireDecoder !== undefined) return executionParts.wireDecoder(...given)(bytes);
    // Bodies of its own have the one form in which they are written.
    const { params, actions } = decode(body, bytes);
    return withActions({ ...params, actions });
  };
};
