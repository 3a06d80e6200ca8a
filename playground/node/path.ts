/* Paths of POSIX, as `node:path` has them. */

export const sep = '/';

export function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split(sep)) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `${path.startsWith(sep) ? sep : ''}${parts.join(sep)}`;
}

export const join = (...parts: readonly string[]): string => normalize(parts.join(sep));
export const resolve = (...parts: readonly string[]): string => normalize(`${sep}${parts.join(sep)}`);
export const dirname = (path: string): string => normalize(path).replace(/\/[^/]*$/, '') || sep;
export const basename = (path: string): string => normalize(path).replace(/^.*\//, '');
