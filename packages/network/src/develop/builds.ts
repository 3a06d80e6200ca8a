import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AnyRollup, definitionIn } from '@switchyard/rollup/internal';
import { errorLine } from '@switchyard/service';
import { BadOptions } from '../bad-options.ts';

/** Copies of compiled files: Node loads each file once, so that changed code needs another place. */
export class Builds {
  readonly #project: string;
  /** Directory of the compiler's output, and the module of the definition in it. */
  readonly #output: string;
  readonly #module: string;
  #count = 0;

  /** @param module Path of the built module of the definition, such as `dist/counter.js`. */
  constructor(project: string, module: string) {
    const [output = '', ...rest] = module.split('/');
    this.#project = project;
    this.#output = output;
    this.#module = join(...rest);
    this.removeAll();
  }

  /** The last compiled definition. @throws {Error} as its module does, or if it has no definition. */
  async load(): Promise<AnyRollup> {
    const before = this.#place(this.#count);
    this.#count += 1;
    const place = this.#place(this.#count);
    // Alongside the original, since maps of sources and files of the project are found by relative paths.
    cpSync(join(this.#project, this.#output), place, { recursive: true });
    const file = join(place, this.#module);
    if (!existsSync(file)) throw new BadOptions(`${relative(this.#project, file)}: is absent: expected it from tsc`);
    const module: object = await import(pathToFileURL(file).href);
    rmSync(before, { recursive: true, force: true });
    try {
      return definitionIn(module);
    } catch (error) {
      throw new BadOptions(`${join(this.#output, this.#module)}: ${errorLine(error)}`);
    }
  }

  removeAll(): void {
    for (const name of readdirSync(this.#project)) {
      if (/^\.running-\d+$/.test(name)) rmSync(join(this.#project, name), { recursive: true, force: true });
    }
  }

  #place(count: number): string {
    return join(this.#project, `.running-${count}`);
  }
}
