import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './network.ts';

const packages = join(root, 'e2e', 'tools', 'node_modules', '@foundry-rs');

/**
 * A program of Foundry, installed by `npm test` or `node scripts/prepare.mjs --tools`. The binary itself: the script that
 * npm puts before it hides how the program ends, and outlives it when it is killed.
 */
export function tool(name: 'anvil' | 'cast' | 'forge'): string {
  const binary = process.platform === 'win32' ? `${name}.exe` : name;
  const installed = existsSync(packages) ? readdirSync(packages) : [];
  const places = installed
    .filter((each) => each.startsWith(`${name}-`))
    .map((each) => join(packages, each, 'bin', binary));
  // When it is absent, the error names its first possible place.
  return places.find(existsSync) ?? join(packages, name, 'bin', binary);
}
