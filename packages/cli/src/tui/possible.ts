import type { World } from '../cli.ts';

/** Whether input and output are a terminal that the UI can use. */
export function hasTerminal(world: World, input: { readonly isTTY?: boolean } = process.stdin): boolean {
  return world.stdout.isTTY === true && input.isTTY === true && world.env.TERM !== 'dumb';
}
