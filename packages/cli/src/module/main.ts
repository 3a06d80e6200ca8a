/** Runs a node of the rollup that a module defines, or executes its blocks again, with the library that the module itself uses: errors are known by their class. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const { path, program, running, settings } = JSON.parse(process.env.MODULE_PROGRAM ?? '{}');
try {
  const module: object = await import(pathToFileURL(path).href);
  const library = createRequire(path).resolve('@switchyard/rollup/replay');
  // The module's own copy has the names of ours.
  const { getProgram } = (await import(pathToFileURL(library).href)) as typeof import('@switchyard/rollup/replay');
  const run = getProgram(module, program, running);
  // Not before: a module that starts a node by mistake must not find its database.
  Object.assign(process.env, settings);
  await run();
} catch (error) {
  const line = `${path}: ${error instanceof Error ? error.message : String(error)}\n`;
  process.exitCode = 1;
  // Such a module may have begun to run, and its output leaves first. Imports of ours would make another file for each command to load.
  process.stdout.write('', () => process.stderr.write(line, () => process.exit()));
}
