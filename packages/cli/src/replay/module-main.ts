/** Executes blocks of the rollup that a module defines, with the library that the module itself uses: errors are known by their class. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const path = process.env.REPLAY_MODULE ?? '';
try {
  const { define } = await import(pathToFileURL(path).href);
  if (typeof define !== 'function') throw new TypeError('expected an export define(text, file), got none');
  const library = createRequire(path).resolve('@switchyard/rollup/replay');
  const { replayProgram } = await import(pathToFileURL(library).href);
  await replayProgram(define);
} catch (error) {
  process.stderr.write(`${path}: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
