import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quoted } from '@switchyard/storage/damaged';
import type { Programs } from './banner.ts';

/** How this user can call our command lines: installed, through npx, or by path. */
export function programsFor(env: NodeJS.ProcessEnv, directory: string): Programs {
  return { switchyard: callFor('switchyard', env, directory), rollupCli: callFor('rollup-cli', env, directory) };
}

function callFor(name: string, env: NodeJS.ProcessEnv, directory: string): string {
  // npm adds these directories for its children; the user's next terminal does not have them.
  const path = (env.PATH ?? '').split(delimiter).filter((entry) => !/node_modules\/\.bin\/?$/.test(entry));
  if (path.some((entry) => existsSync(join(entry, name)))) return name;
  if (existsSync(join(directory, 'node_modules', '.bin', name))) return `npx ${name}`;
  return `node ${quoted(fileURLToPath(new URL(`../../../bin/${name}.mjs`, import.meta.url)))}`;
}
