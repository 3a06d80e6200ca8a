import { parseJson, readText, replaceFiles } from '../files/files.ts';
import { type JsonPath, jsonAt, setJsonValue } from '../files/json-edit.ts';
import { parseToml, valueAt } from '../files/toml.ts';
import { setTomlString } from '../files/toml-edit.ts';

/** One place that was changed, for people. */
export interface Change {
  readonly file: string;
  readonly key: string;
  readonly from: string;
  readonly to: string;
}

/** Texts of several files that are to change together or not at all. */
export type Draft = Readonly<ReturnType<typeof createDraft>>;

export function createDraft() {
  const texts = new Map<string, { before: string; now: string }>();
  const changes: Change[] = [];
  const read = (file: string) => {
    const known = texts.get(file);
    if (known !== undefined) return known;
    const before = readText(file);
    const text = { before, now: before };
    texts.set(file, text);
    return text;
  };
  const tomlAt = (file: string, path: readonly string[]) => {
    const value = valueAt(parseToml(read(file).now, file), path);
    return value === undefined ? undefined : String(value);
  };
  const at = (file: string, path: JsonPath) => jsonAt(parseJson(read(file).now, file), path);

  return {
    /** Value at a place of a file, with the changes so far. */
    tomlAt,
    jsonAt: at,
    /** Sets a value; an absent one is added. */
    toml(file: string, path: readonly string[], to: string) {
      const from = tomlAt(file, path);
      if (from === to) return;
      const text = read(file);
      text.now = setTomlString(text.now, file, path, to);
      changes.push({ file, key: path.join('.'), from: from ?? '', to });
    },
    /** Sets a value that must be there. */
    json(file: string, path: JsonPath, to: unknown) {
      const from = shown(at(file, path));
      if (from === shown(to)) return;
      const text = read(file);
      text.now = setJsonValue(text.now, file, path, to);
      changes.push({ file, key: path.join('.'), from, to: shown(to) });
    },
    /** Writes all files. @returns the changes, in the order of the calls. @throws {Failure} */
    write() {
      const changed = [...texts].filter(([, { before, now }]) => before !== now);
      replaceFiles(changed.map(([path, { now }]) => ({ path, text: now })));
      return changes;
    },
  };
}

const shown = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
