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

/** Texts of several files, in TOML or JSON, that are to change together or not at all. */
export class Draft {
  readonly #texts = new Map<string, { readonly before: string; now: string }>();
  readonly #changes: Change[] = [];

  /** Value at a place of a file, with the changes so far. */
  at(file: string, path: JsonPath): unknown {
    const { now } = this.#text(file);
    return isToml(file) ? valueAt(parseToml(now, file), path.map(String)) : jsonAt(parseJson(now, file), path);
  }

  /** Sets a value: in TOML a text, which is added if it is absent; in JSON any value, which must exist. */
  set(file: string, path: JsonPath, to: unknown): void {
    const from = shown(this.at(file, path));
    if (from === shown(to)) return;
    const text = this.#text(file);
    text.now = isToml(file)
      ? setTomlString(text.now, file, path.map(String), shown(to))
      : setJsonValue(text.now, file, path, to);
    this.#changes.push({ file, key: path.join('.'), from, to: shown(to) });
  }

  /** Writes all files. @returns the changes, in the order of the calls. @throws {Failure} */
  write(): Change[] {
    const changed = [...this.#texts].filter(([, { before, now }]) => before !== now);
    replaceFiles(changed.map(([path, { now }]) => ({ path, text: now })));
    return this.#changes;
  }

  #text(file: string) {
    const known = this.#texts.get(file);
    if (known !== undefined) return known;
    const before = readText(file);
    const text = { before, now: before };
    this.#texts.set(file, text);
    return text;
  }
}

const isToml = (file: string) => file.endsWith('.toml');
const shown = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
