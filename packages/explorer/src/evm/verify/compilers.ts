import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { errorLine, type Logger } from '@switchyard/service';
import { ifValid, parseInput, text } from '@switchyard/service/input';
import { type CompilerVersion, compilerVersionText, isSameCompiler, parseCompilerVersion } from './compiler-version.ts';

/** A compiler that is on this machine. */
export interface Compiler extends CompilerVersion {
  /** Path of its `soljson.js`. */
  readonly path: string;
}

const FILE = /^soljson-(v\d+\.\d+\.\d+\+commit\.[0-9a-f]{8})\.js$/;
const MAX_COMPILERS = 1_000;

/**
 * The compilers that can be used: the compiler that is installed with the explorer, and those of a directory, which holds files
 * named as the Solidity project publishes them, or packages installed by npm. Nothing is downloaded.
 */
export class Compilers {
  readonly #directory: string | undefined;
  readonly #log: Logger;

  constructor(directory: string | undefined, log: Logger) {
    this.#directory = directory;
    this.#log = log;
  }

  /** Read again each time, so that an added one is used without a restart. The newest come first. */
  list(): Compiler[] {
    const found = [...this.#installed(), ...this.#inDirectory()];
    const once = new Map(found.map((each) => [compilerVersionText(each), each]));
    return [...once.values()].sort((a, b) => compare(b.number, a.number)).slice(0, MAX_COMPILERS);
  }

  find(version: CompilerVersion): Compiler | undefined {
    return this.list().find((each) => isSameCompiler(each, version));
  }

  #installed(): Compiler[] {
    try {
      return getCompiler(dirname(createRequire(import.meta.url).resolve('solc/package.json')));
    } catch (error) {
      this.#log.debug({ error: errorLine(error) }, 'no compiler is installed with the explorer');
      return [];
    }
  }

  #inDirectory(): Compiler[] {
    const directory = this.#directory;
    if (directory === undefined) return [];
    try {
      const files = readdirSync(directory).flatMap((name): Compiler[] => {
        const version = parseCompilerVersion(FILE.exec(name)?.[1] ?? '');
        return version === undefined ? [] : [{ ...version, path: join(directory, name) }];
      });
      const modules = join(directory, 'node_modules');
      const installed = existsSync(modules) ? readdirSync(modules) : [];
      return [...files, ...installed.flatMap((name) => getCompiler(join(modules, name)))];
    } catch (error) {
      this.#log.warn({ directory, error: errorLine(error) }, 'the directory of compilers cannot be read');
      return [];
    }
  }
}

/** Compiler in a package that npm installed, under whichever name. */
function getCompiler(directory: string): Compiler[] {
  const [manifest, path] = [join(directory, 'package.json'), join(directory, 'soljson.js')];
  if (!existsSync(path) || !existsSync(manifest)) return [];
  const version = ifValid(text)(parseInput(readFileSync(manifest, 'utf8'), manifest).at('version'));
  const parsed = parseCompilerVersion(version ?? '');
  return parsed === undefined ? [] : [{ ...parsed, path }];
}

function compare(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  const at = left?.findIndex((part, index) => part !== right?.[index]) ?? -1;
  return at < 0 ? 0 : (left?.[at] ?? 0) - (right?.[at] ?? 0);
}
