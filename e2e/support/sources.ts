import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** TypeScript files below a directory, without generated, built or installed ones. */
export function sourcesIn(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return ['gen', 'dist', 'node_modules'].includes(entry.name) ? [] : sourcesIn(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

/** Files that a file imports by a relative path: in statements, re-exports and `import()`, types included. */
export function getImports(path: string): string[] {
  const found = readFileSync(path, 'utf8').matchAll(/(?:\bfrom |\bimport |\bimport\()'(\.[^']*)'/g);
  return [...found].map(([, specifier = '']) => join(dirname(path), specifier));
}

/**
 * Groups of files that import each other, directly or through others, as paths relative to `directory`. Each file is in at most
 * one group.
 *
 * @see Tarjan 1972, strongly connected components
 */
export function importCycles(directory: string): string[][] {
  const edges = new Map(sourcesIn(directory).map((path) => [path, getImports(path)]));
  const order = new Map<string, number>();
  const stack: string[] = [];
  const groups: string[][] = [];

  const visit = (path: string): number => {
    const index = order.size;
    order.set(path, index);
    stack.push(path);
    let lowest = index;
    for (const next of edges.get(path) ?? []) {
      if (!edges.has(next)) continue;
      if (!order.has(next)) lowest = Math.min(lowest, visit(next));
      else if (stack.includes(next)) lowest = Math.min(lowest, order.get(next) ?? lowest);
    }
    if (lowest === index) {
      const group = stack.splice(stack.indexOf(path));
      if (group.length > 1) groups.push(group.map((member) => relative(directory, member)).sort());
    }
    return lowest;
  };
  for (const path of edges.keys()) if (!order.has(path)) visit(path);
  return groups.sort((a, b) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1));
}

/** Pairs of the folders directly below a directory whose files import each other, by type too. Tests do not count. */
export function mutualFolders(directory: string): (readonly [string, string])[] {
  const getFolder = (path: string) => {
    const [folder = '', ...rest] = relative(directory, path).split('/');
    return rest.length === 0 ? '' : folder;
  };
  const edges = new Set<string>();
  for (const path of sourcesIn(directory).filter((each) => !/\.(test|suite)\.tsx?$|testing/.test(each))) {
    for (const imported of getImports(path)) edges.add(`${getFolder(path)} ${getFolder(imported)}`);
  }
  return [...edges].sort().flatMap((edge) => {
    const [from = '', to = ''] = edge.split(' ');
    return from !== '' && from < to && edges.has(`${to} ${from}`) ? [[from, to] as const] : [];
  });
}
