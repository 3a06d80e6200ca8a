import { Failure, tried } from '@switchyard/service/failure';
import { type AST, parseTOML } from 'toml-eslint-parser';
import { effectiveText, parseToml, valueAt } from './toml.ts';

type Path = readonly string[];

/**
 * Sets one string value in a TOML text and leaves every other character, comments and spacing included, but no repeated key.
 *
 * @param path Keys from the root, compared without regard to letter case; absent keys and tables are added.
 * @throws {Failure} when the file is broken or has to be edited by hand.
 */
export function setTomlString(written: string, file: string, path: Path, value: string): string {
  if (valueAt(parseToml(written, file), path) === value) return written;
  const text = effectiveText(written);
  const root = getRoot(text);
  const found = valueNode(root.body, path);
  const edited = found === undefined ? withEntry(text, root, path, value) : replaced(text, found, value);
  if (!parses(edited) || valueAt(parseToml(edited, file), path) !== value) {
    throw byHand(file, path, `set it to ${JSON.stringify(value)}`);
  }
  return edited;
}

/**
 * Removes a table with all tables below it, and the comment lines directly above each.
 *
 * @throws {Failure} when the file is broken or has to be edited by hand.
 */
export function removeTomlTable(written: string, file: string, path: Path): string {
  parseToml(written, file);
  const text = effectiveText(written);
  const sections = getTables(getRoot(text)).map((table) => ({ table, start: getStart(text, table) }));
  const edited = sections.reduceRight((rest, { table, start }, index) => {
    if (!same(getKeys(table).slice(0, path.length), path)) return rest;
    return rest.slice(0, start) + rest.slice(sections[index + 1]?.start ?? text.length);
  }, text);
  if (!parses(edited) || valueAt(parseToml(edited, file), path) !== undefined) {
    throw byHand(file, path, 'remove it');
  }
  return edited;
}

function byHand(file: string, path: Path, what: string): Failure {
  return new Failure(`${file}: ${path.join('.')} is written in a form that this tool does not edit: ${what} by hand`);
}

const getRoot = (text: string): AST.TOMLTopLevelTable => parseTOML(text).body[0];

const getTables = (root: AST.TOMLTopLevelTable) => root.body.filter((node) => node.type === 'TOMLTable');

const getKeys = ({ resolvedKey }: AST.TOMLTable): string[] => resolvedKey.map(String);

const same = (a: Path, b: Path) =>
  a.length === b.length && a.every((key, index) => key.toLowerCase() === b[index]?.toLowerCase());

/** The value at a path, also in tables written inline. */
function valueNode(nodes: readonly (AST.TOMLTable | AST.TOMLKeyValue)[], path: Path): AST.TOMLContentNode | undefined {
  for (const node of nodes) {
    const keys = node.type === 'TOMLTable' ? getKeys(node) : getNames(node);
    if (!same(path.slice(0, keys.length), keys)) continue;
    const rest = path.slice(keys.length);
    if (node.type === 'TOMLKeyValue' && rest.length === 0) return node.value;
    const inner = node.type === 'TOMLTable' ? node.body : node.value.type === 'TOMLInlineTable' ? node.value.body : [];
    const found = valueNode(inner, rest);
    if (found !== undefined) return found;
  }
  return undefined;
}

function getNames({ key }: AST.TOMLKeyValue): string[] {
  return key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value));
}

function replaced(text: string, { range: [start, end] }: AST.TOMLContentNode, value: string): string {
  const old = text.slice(start, end);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a literal string can hold none of them
  const isLiteral = /^'(?!'')/.test(old) && /^[^'\u0000-\u001f\u007f]*$/.test(value);
  return text.slice(0, start) + (isLiteral ? `'${value}'` : quoted(value)) + text.slice(end);
}

/** With a new entry behind the last one of its table; without such a table, with both at the end. */
function withEntry(text: string, root: AST.TOMLTopLevelTable, path: Path, value: string): string {
  const parent = path.slice(0, -1);
  const entry = `${keyText(path.at(-1) ?? '')} = ${quoted(value)}`;
  const table = parent.length === 0 ? root : getTables(root).find((each) => same(getKeys(each), parent));
  if (table === undefined) {
    const end = text.trimEnd().length;
    return `${text.slice(0, end)}\n\n[${parent.map(keyText).join('.')}]\n${entry}${text.slice(end) || '\n'}`;
  }
  const last = table.body.findLast((node) => node.type === 'TOMLKeyValue') ?? (table === root ? undefined : table);
  if (last === undefined) return `${entry}\n${text}`;
  const newline = text.indexOf('\n', last.range[1]);
  const end = newline === -1 ? text.length : newline;
  return `${text.slice(0, end)}\n${entry}${text.slice(end)}`;
}

/** Beginning of a table with the comment lines directly above it. */
function getStart(text: string, { range, parent }: AST.TOMLTable): number {
  const comments = new Set(parent.parent.comments.map((comment) => text.lastIndexOf('\n', comment.range[0]) + 1));
  let start = text.lastIndexOf('\n', range[0]) + 1;
  for (let above = lineAbove(text, start); above !== undefined && comments.has(above); above = lineAbove(text, start)) {
    if (!/^\s*#/.test(text.slice(above, start))) break;
    start = above;
  }
  return start;
}

function lineAbove(text: string, start: number): number | undefined {
  return start === 0 ? undefined : text.lastIndexOf('\n', start - 2) + 1;
}

const keyText = (key: string) => (/^[\w-]+$/.test(key) ? key : quoted(key));

const quoted = (value: string) => JSON.stringify(value).replaceAll('\u007f', '\\u007F');

const parses = (text: string) => tried(Failure, false, () => parseToml(text, '') !== undefined);
