// The reference of the framework, made from the declarations that its entries export and their docstrings. Prints it, from the
// build: node scripts/framework-reference.mjs
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const DECLARATION =
  /(?<doc>\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?(?:\/\/ biome-ignore .*\n)?export (?:declare )?(?:abstract )?(?:async )?(?<kind>function\*?|interface|type|const|class) (?<name>\w+)/g;

/** Index behind the declaration that begins at `start`: the end of its braces, or the semicolon outside of all brackets. */
function endOf(text, start, kind) {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    // Arrows are no brackets.
    if ('([{'.includes(character) || (character === '<' && /\w/.test(text[at - 1]))) depth += 1;
    if (')]}'.includes(character) || (character === '>' && text[at - 1] !== '=')) depth -= 1;
    if (depth === 0 && character === '}' && (kind === 'interface' || kind === 'class')) return at + 1;
    if (depth === 0 && character === ';') return at;
  }
  return text.length;
}

/** Declarations of a file by their names, overloads together. */
export function declarationsIn(text) {
  const found = new Map();
  for (const match of text.matchAll(DECLARATION)) {
    const { doc = '', kind, name } = match.groups;
    const start = match.index + doc.length;
    const code = text
      .slice(start, endOf(text, start, kind))
      .replace(/^(\/\/ .*\n)?export (declare )?/, '')
      .replace(/import\("[^"]+"\)\./g, '');
    const before = found.get(name);
    found.set(name, {
      doc: before?.doc || sentences(doc),
      example: before?.example ?? doc.match(EXAMPLE)?.[1].replace(/^ \* ?/gm, ''),
      code: before ? `${before.code}\n${code}` : code,
    });
  }
  return found;
}

/** The block of code below the tag `@example`. */
const EXAMPLE = / \* @example\n \* ```ts\n((?: \*.*\n)+?) \* ```\n/;

/** The text of a docstring as Markdown, in which an example is a block of code. */
const sentences = (doc) =>
  doc
    .replace(/^\/\*\*|\*\/\s*$/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .join('\n')
    .replace(/\{@link (\w+)\}/g, '`$1`')
    .replace(/^@example$/gm, '')
    .replace(/(?<=^|\. )@(throws|param|returns|typeParam)\b/gm, (_, tag) => `*${tag}*:`)
    .trim();

const RE_EXPORT = /export (type )?\{([^}]*)\} from '([^']+)'/g;

/** Names that a file exports from others, each with the file that it is from; `isType` if the value behind it is not exported. */
function reExportsOf(file) {
  return [...readFileSync(file, 'utf8').matchAll(RE_EXPORT)].flatMap(([, type, names, from]) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.includes(' as '))
      .map((name) => ({
        name: name.replace(/^type /, ''),
        isType: type !== undefined || name.startsWith('type '),
        file: fileOf(from, file),
      })),
  );
}

/** Declarations of a module, or its source if an entry is source. */
function fileOf(specifier, importer) {
  const isSource = !importer.endsWith('.d.ts');
  if (specifier.startsWith('.')) {
    const path = join(dirname(importer), specifier).replace(/\.(js|ts)$/, '');
    return `${path}${isSource ? '.ts' : '.d.ts'}`;
  }
  const [, folder, entry = ''] = specifier.match(/^@switchyard\/([^/]+)(\/.+)?$/);
  const directory = fileURLToPath(new URL(`../packages/${folder}`, import.meta.url));
  const { exports } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  return join(directory, exports[`.${entry}`][isSource ? 'switchyard-source' : 'types']);
}

/** @param entry Its declarations (`dist/index.d.ts`), or its source. */
export function documentedExports(entry) {
  const files = new Map();
  const declared = (name, file) => {
    if (!files.has(file)) {
      const text = readFileSync(file, 'utf8');
      const whole = [...text.matchAll(/export \* from '([^']+)'/g)].map(([, from]) => fileOf(from, file));
      files.set(file, { own: declarationsIn(text), others: reExportsOf(file), whole });
    }
    const { own, others, whole } = files.get(file);
    const from = others.find((other) => other.name === name);
    if (own.has(name) || from !== undefined) return own.get(name) ?? declared(name, from.file);
    return whole.map((other) => declared(name, other)).find(({ code }) => code !== '') ?? { doc: '', code: '' };
  };
  const own = [...declarationsIn(readFileSync(entry, 'utf8')).keys()].map((name) => ({ name, file: entry }));
  return [...own, ...reExportsOf(entry)].map(({ name, isType = false, file }) => {
    const found = declared(name, file);
    return { name, ...found, isValue: !isType && /^(abstract |async )?(class|const|function\*?) /.test(found.code) };
  });
}

/** Modules that authors of a rollup import. */
const AUTHORS = [
  ...['rollup', 'rollup/client', 'rollup/node', 'rollup/testing'],
  ...['network', 'network/simulate', 'network/develop', 'client/verify-state'],
];

/** Exports of the modules that authors import, from the sources, each with its module. */
export const authorExports = () =>
  AUTHORS.map((module) => `@switchyard/${module}`).flatMap((module) =>
    documentedExports(fileOf(module, 'source.ts')).map((each) => ({ module, ...each })),
  );

export const frameworkPage = (entries) =>
  entries
    .flatMap(documentedExports)
    .filter(({ code }) => code !== '')
    .sort((left, right) => (left.name.toLowerCase() < right.name.toLowerCase() ? -1 : 1))
    .map(({ name, doc, code }) =>
      [`## ${name}`, ...(doc === '' ? [] : [doc]), `\`\`\`ts\n${code}\n\`\`\``].join('\n\n'),
    )
    .join('\n\n');

export const ENTRIES = ['index', 'client'].map((entry) =>
  fileURLToPath(new URL(`../packages/rollup/dist/${entry}.d.ts`, import.meta.url)),
);

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(frameworkPage(ENTRIES));
