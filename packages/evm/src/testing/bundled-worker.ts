import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'rolldown';

/** A directory from which libraries are found as from here; git ignores it. */
const DIRECTORY = new URL('../../../../.cache/workers/', import.meta.url);

/**
 * A compiled program of a thread, with our modules in one file: a thread that loads some hundreds takes a second of processor time
 * for each test.
 *
 * @param program Below `dist`.
 */
export async function bundledWorker(program: string): Promise<URL> {
  const file = fileURLToPath(new URL(program.replaceAll('/', '-').replace(/\.js$/, '.mjs'), DIRECTORY));
  await build({
    input: fileURLToPath(new URL(`../../dist/${program}`, import.meta.url)),
    platform: 'node',
    logLevel: 'silent',
    external: (specifier) => !/^[./#]|^@switchyard\//.test(specifier),
    output: { file, format: 'esm', codeSplitting: false },
  });
  return pathToFileURL(file);
}
