import { cpSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root, run } from './network.ts';

/**
 * Compiles an example into a directory below the repository, where it finds the packages.
 *
 * @returns the directory, which is a package with one program.
 */
export async function builtExample(name: string, place: string): Promise<string> {
  const [example, directory] = [join(root, 'examples', name), join(root, '.cache', place, name)];
  rmSync(directory, { recursive: true, force: true });
  for (const part of ['bin', 'package.json', 'genesis.json'])
    cpSync(join(example, part), join(directory, part), { recursive: true });
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status, stdout } = await run(process.execPath, [
    ...[compiler, '-p', example, '--outDir', join(directory, 'dist')],
  ]);
  if (status !== 0) throw new Error(`${example}: it was not compiled: ${stdout}`);
  return directory;
}

/** Packs a compiled example as an image with its program as the entry point, into a directory. */
export async function packExample(example: string, directory: string) {
  const [name, file] = [`localhost/${basename(example)}:1`, join(directory, 'example-image.tar')];
  const script = join(root, 'e2e', 'support', 'example-image.mjs');
  const { status, stderr } = await run(process.execPath, [script, example, name, file]);
  if (status !== 0) throw new Error(stderr);
  return { name, file };
}
