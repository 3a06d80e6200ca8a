import type { World } from '../cli.ts';

/** Whether there is a terminal that a person sits at, both to show something on and to hear keys from. */
export function hasTerminal(world: World, input: { readonly isTTY?: boolean } = process.stdin): boolean {
  return world.stdout.isTTY === true && input.isTTY === true && world.env.TERM !== 'dumb';
}
