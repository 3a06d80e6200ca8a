import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';
import { mutualFolders, sourcesIn } from './e2e/support/sources.ts';

/*
 * `rooms.json` lists the pairs of folders of a package that import each other, and the functions of more than 70 lines. Entries are
 * only removed: a new pair gets a third folder below both, and a long function is split.
 */

const root = import.meta.dirname;
const LONGEST = 70;

// Our own file.
const known = JSON.parse(readFileSync(join(root, 'rooms.json'), 'utf8')) as {
  readonly mutualFolders: readonly string[];
  readonly longFunctions: readonly string[];
};

test('no further folders of a package import each other', () => {
  const found = readdirSync(join(root, 'packages')).flatMap((name) =>
    mutualFolders(join(root, 'packages', name, 'src')).map((pair) => `${name}: ${pair.join(' and ')}`),
  );
  expect(found.sort()).toEqual(known.mutualFolders);
});

test(`no further functions have more than ${LONGEST} lines`, () => {
  const files = sourcesIn(join(root, 'packages')).filter((path) => !/\.(test|suite)\.tsx?$|testing/.test(path));
  const found = files.flatMap((path) =>
    longFunctions(path, readFileSync(path, 'utf8'), LONGEST).map((name) => `${relative(root, path)}: ${name}`),
  );
  expect(found.sort()).toEqual(known.longFunctions);
});

test('functions are found with their names, or with those of the calls that take them', () => {
  const body = '{\n\n\n}';
  const text = `export function a() ${body}
const b = async (x: number) => ${body};
class C { d(): void ${body}\n #e = () => ${body}; }
run(() => ${body});
const f = <T,>(x: T): T => x;`;
  expect(longFunctions('x.ts', text, 3)).toEqual(['a', 'b', 'd', 'e', 'run']);
  expect(longFunctions('x.ts', text, 4)).toEqual([]);
});

/** The members of a node that name a function, or the call that takes it. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly id?: { readonly name?: string } | null;
  readonly key?: { readonly name?: string };
  readonly callee?: { readonly name?: string };
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string';

/** Names of the functions of a file that have more than so many lines, in the order of the file. */
function longFunctions(path: string, text: string, lines: number): string[] {
  // Most files are no longer than that, and need not be parsed.
  if (text.split('\n').length <= lines) return [];
  const found: string[] = [];
  const visit = (node: Node, outer: string): void => {
    const name = node.id?.name ?? node.key?.name ?? node.callee?.name ?? outer;
    const isFunction = /Function(Expression|Declaration)$/.test(node.type);
    if (isFunction && text.slice(node.start, node.end).split('\n').length > lines) found.push(name);
    for (const value of Object.values(node)) {
      if (typeof value !== 'object' || value === null) continue;
      for (const each of Array.isArray(value) ? value : [value]) if (isNode(each)) visit(each, name);
    }
  };
  visit(parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }) as Node, '');
  return found;
}
