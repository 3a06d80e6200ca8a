import { fileURLToPath } from 'node:url';
import { PROGRAM_NAMES, type ProgramName } from '@switchyard/stack/network';

export const SERVICE_VERSION = 'v0.1.0';

/** Bundles of the programs of all packages, which scripts/bundle.mjs makes. */
const entry = (name: string) => fileURLToPath(new URL(`../../../dist/programs/${name}.js`, import.meta.url));

/** The EVM node that makes its own blocks. */
export const STANDALONE_ENTRY = entry('evm-standalone-main');
/** Imports a chain that was made elsewhere and answers from it; runs alone, and is no service of a network. */
export const ARCHIVE_ENTRY = entry('evm-archive-main');

/** Verifies the state in an EVM database. */
export const EVM_STATE_ENTRY = entry('evm-state-verify-main');

/** Executes blocks of the messenger again. */
export const MESSENGER_REPLAY_ENTRY = entry('messenger-replay-main');

/**
 * A program of the rollup that a module defines.
 *
 * @param path Absolute path of the module.
 * @param running Database of a node: the definition is as its chain has taken it.
 */
export const moduleProgram = (
  program: 'node' | 'replay',
  path: string,
  settings: Readonly<Record<string, string>>,
  running = '',
) => ({
  entry: entry('module-main'),
  settings: { MODULE_PROGRAM: JSON.stringify({ program, path, running, settings }) },
});

/** Entry file of each program that comes with Switchyard. The only code that knows the paths of the other packages. */
export type Builtins = Readonly<Record<ProgramName, string>>;

// Every name has its entry.
export const BUILTINS = Object.fromEntries(PROGRAM_NAMES.map((name) => [name, entry(`${name}-main`)])) as Builtins;
