/** Executes blocks of the rollup that a module defines, with the library that the module itself uses: errors are known by their class. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const { REPLAY_MODULE: path = '', REPLAY_SETTINGS: settings = '{}' } = process.env;
try {
  const module: object = await import(pathToFileURL(path).href);
  const library = createRequire(path).resolve('@switchyard/rollup/replay');
  const { replayProgram, defineOf } = await import(pathToFileURL(library).href);
  const define = defineOf(module);
  // Not before: a module that starts a node by mistake must not find its database.
  Object.assign(process.env, JSON.parse(settings));
  await replayProgram(define);
} catch (error) {
  process.stderr.write(`${path}: ${error instanceof Error ? error.message : String(error)}\n`);
  // Such a module may have begun to run.
  process.exit(1);
}
