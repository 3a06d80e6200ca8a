import * as protocol from '@switchyard/protocol';
import * as rollup from '@switchyard/rollup';
import { transform } from 'sucrase';
import { join } from './node/path.ts';

const LIBRARIES: Readonly<Record<string, object>> = { '@switchyard/protocol': protocol, '@switchyard/rollup': rollup };

/**
 * The exports of a module of TypeScript.
 *
 * @param sources By their paths. @throws {Error} with one line that names the file.
 */
export function evaluate(sources: Readonly<Record<string, string>>, entry: string): object {
  const loaded = new Map<string, object>();
  const load = (path: string): object => {
    const known = loaded.get(path);
    if (known !== undefined) return known;
    const source = sources[path];
    if (source === undefined) throw new Error(`${path}: there is no such file`);
    const exports = {};
    loaded.set(path, exports);
    const need = (specifier: string) => LIBRARIES[specifier] ?? load(join('/', path, '..', specifier).slice(1));
    try {
      const { code } = transform(source, { transforms: ['typescript', 'imports'], filePath: path });
      new Function('require', 'exports', `${code}\n//# sourceURL=${path}`)(need, exports);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(
        why.includes('.ts: ') ? why : why.startsWith('Error transforming ') ? why.slice(19) : `${path}: ${why}`,
        { cause: error },
      );
    }
    return exports;
  };
  return load(entry);
}
