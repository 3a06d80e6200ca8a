/** Executes blocks of the rollup that a module defines, with the library that the module itself uses: errors are known by their class. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const { REPLAY_MODULE: path = '', REPLAY_SETTINGS: settings = '{}' } = process.env;
try {
  const { define } = await import(pathToFileURL(path).href);
  if (typeof define !== 'function') throw new TypeError('expected an export define(text, file), got none');
  // Not before: a module that starts a node by mistake must not find its database.
  Object.assign(process.env, JSON.parse(settings));
  const library = createRequire(path).resolve('@switchyard/rollup/replay');
  const { replayProgram } = await import(pathToFileURL(library).href);
  await replayProgram(define);
} catch (error) {
  process.stderr.write(`${path}: ${error instanceof Error ? error.message : String(error)}\n`);
  // Such a module may have begun to run.
  process.exit(1);
}
