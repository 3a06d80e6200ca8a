import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sourcesIn } from './sources.ts';

/** The measures of a package that `size.test.ts` bounds. */
export interface PackageSize {
  /** Lines of TypeScript, without tests, their support and generated code. */
  readonly lines: number;
  /** Names that `src/index.ts` exports, those of `export *` included. */
  readonly exports: number;
}

const isOfTests = (path: string) =>
  /\.(?:test|suite|testing)\.tsx?$|\/(?:testing|testdata)\/|\/testing\.ts$/.test(path);

/** @param directory One with `package.json` and `src`. */
export function computeSize(directory: string): PackageSize {
  const files = sourcesIn(join(directory, 'src'));
  const index = join(directory, 'src', 'index.ts');
  const lines = files
    .filter((path) => !isOfTests(path))
    .map((path) => readFileSync(path, 'utf8').split('\n').length - 1);
  return {
    lines: lines.reduce((sum, each) => sum + each, 0),
    exports: existsSync(index) ? makeExports(index).size : 0,
  };
}

/** Names that a module exports. Only files reached by a relative `export *` are followed. */
export function makeExports(path: string): Set<string> {
  const text = readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  const lists = [...text.matchAll(/\bexport (?:type )?\{([^}]*)\}/g)].flatMap(([, names = '']) => names.split(','));
  const declared =
    /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type) (\w+)/gm;
  return new Set([
    ...lists.map((name) => /(\w+)\s*$/.exec(name)?.[1] ?? '').filter((name) => name !== ''),
    ...[...text.matchAll(declared)].map(([, name = '']) => name),
    ...[...text.matchAll(/\bexport (?:type )?\* from '(\.[^']*)'/g)].flatMap(([, specifier = '']) => [
      ...makeExports(join(dirname(path), specifier)),
    ]),
  ]);
}

/** Dependencies that a package declares and none of its sources imports; those for tests are no part of its sources. */
export function unusedDependencies(directory: string): string[] {
  // Our own file, which npm validates on every install.
  const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
    dependencies?: Readonly<Record<string, string>>;
  };
  const generated = join(directory, 'src', 'gen');
  const files = [...sourcesIn(join(directory, 'src')), ...(existsSync(generated) ? sourcesIn(generated) : [])];
  const text = files
    .filter((path) => !isOfTests(path))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
  const imports = (name: string) => new RegExp(`(?:from |import |\\()["']${name.replaceAll(/[.+]/g, '\\$&')}["/']`);
  return Object.keys(manifest.dependencies ?? {}).filter((name) => !imports(name).test(text));
}
