import { InvalidData } from '@switchyard/service/input';
import { type Document, isMap, isScalar, isSeq, parseDocument } from 'yaml';

/*
 * YAML as a manifest may use it: maps, lists and text. Anchors, aliases and tags are refused, so that the file means exactly what
 * is read in it, and every value is text, so that no reader rounds a long number or takes an address for one.
 */

/** About a page, and 400 genesis accounts. */
export const MAX_MANIFEST_BYTES = 65_536;
const MAX_DEPTH = 10;
const MAX_KEYS = 100;
const MAX_ITEMS = 1_000;
/** Enough to correct a file by. */
const MAX_MISTAKES = 10;

/** Keys are compared by the reader below: the library's way takes time by the square of their number. */
export const FAILSAFE = { schema: 'failsafe', uniqueKeys: false, version: '1.2' } as const;

/** YAML values, with text in all leaves. */
export type Plain = string | readonly Plain[] | { readonly [key: string]: Plain };

/** @throws {InvalidData} if it is no YAML of this kind, or too large. */
export function parseYaml(text: string): { readonly document: Document; readonly value: Plain } {
  const size = Buffer.byteLength(text);
  if (size > MAX_MANIFEST_BYTES) throw new InvalidData(`expected at most ${MAX_MANIFEST_BYTES} bytes, got ${size}`);
  const document = parseDocument(text, FAILSAFE);
  const mistakes = [...document.errors, ...document.warnings].slice(0, MAX_MISTAKES);
  if (mistakes.length > 0) {
    throw new InvalidData(mistakes.map(({ message }) => ({ path: '', message: `not YAML: ${firstLine(message)}` })));
  }
  return { document, value: toPlain(document.contents, '', 0) };
}

function toPlain(node: unknown, path: string, depth: number): Plain {
  const fail = (message: string): never => {
    throw new InvalidData([{ path, message }]);
  };
  if (node === null || node === undefined) return '';
  if (depth > MAX_DEPTH) return fail(`expected at most ${MAX_DEPTH} levels`);
  if (isScalar(node) || isMap(node) || isSeq(node)) {
    if (node.anchor !== undefined) return fail('expected a value without an anchor (&), which manifests do not have');
    if (node.tag !== undefined) return fail('expected a value without a tag (!), which manifests do not have');
  }
  if (isScalar(node)) return typeof node.value === 'string' ? node.value : '';
  if (isSeq(node)) {
    if (node.items.length > MAX_ITEMS) return fail(`expected a list of at most ${MAX_ITEMS}, got ${node.items.length}`);
    return node.items.map((item, index) => toPlain(item, `${path}[${index}]`, depth + 1));
  }
  if (!isMap(node)) return fail('expected a value, got an alias (*), which manifests do not have');
  if (node.items.length > MAX_KEYS) return fail(`expected at most ${MAX_KEYS} keys, got ${node.items.length}`);
  const entries = new Map<string, Plain>();
  for (const pair of node.items) {
    const key =
      isScalar(pair.key) && typeof pair.key.value === 'string' ? pair.key.value : fail('expected keys that are text');
    const at = path === '' ? key : `${path}.${key}`;
    if (entries.has(key))
      throw new InvalidData([{ path: at.slice(0, 200), message: 'expected each key once, got it twice' }]);
    entries.set(key, toPlain(pair.value, at.slice(0, 200), depth + 1));
  }
  return Object.fromEntries(entries);
}

const firstLine = (message: string) => message.split('\n')[0]?.replace(/:$/, '') ?? '';
