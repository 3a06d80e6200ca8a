/** Runs a node of the rollup that a module defines, or executes its blocks again, with the library that the module itself uses: errors are known by their class. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { exitWhenWritten } from '../world.ts';

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
  process.stderr.write(`${path}: ${error instanceof Error ? error.message : String(error)}\n`);
  // Such a module may have begun to run.
  await exitWhenWritten(1);
}
