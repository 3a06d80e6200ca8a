import type * as nodes from './verifier.ts';

/* A page would stand still while it executes blocks, and load the program for that without need. */

export const createVerifier: typeof nodes.createVerifier = () => {
  throw new Error('verify: expected the option worker, or a verifier that was made by createVerifier');
};
