import type { Example } from './messages.ts';

export type Files = Readonly<Record<string, string>>;

/** Files of the examples, which are the templates of projects, by their paths. */
const FILES = import.meta.glob<string>(
  ['../examples/{counter,token,orderbook}/**/*', '!**/{dist,node_modules,.switchyard}/**'],
  { query: '?raw', import: 'default' },
);

/** Files of a project from the template, by their paths in it. */
export async function filesOf(example: Example): Promise<Files> {
  const root = `../examples/${example}/`;
  const own = Object.entries(FILES).filter(([path]) => path.startsWith(root));
  return Object.fromEntries(
    await Promise.all(own.map(async ([path, load]) => [path.slice(root.length), await load()])),
  );
}

/** Whether a file is a part of the definition. */
export const isSource = (path: string): boolean =>
  /^src\/(?!history)[\w/-]+\.ts$/.test(path) && !path.endsWith('.test.ts');

/** A `.tar.gz` of a project. */
export async function packProject(name: string, files: Files): Promise<Blob> {
  const parts = Object.entries(files).flatMap(([path, text]) => {
    const bytes = new TextEncoder().encode(text);
    // npm leaves a file of this name out of packages.
    const header = headerOf(`${name}/${path === 'gitignore' ? '.gitignore' : path}`, bytes.length);
    return [header, bytes, new Uint8Array(-bytes.length & 511)];
  });
  const tar = new Blob([...parts, new Uint8Array(1_024)]);
  return new Response(tar.stream().pipeThrough(new CompressionStream('gzip'))).blob();
}

/** Header of a file in a tar archive (POSIX ustar). */
function headerOf(path: string, length: number): Uint8Array<ArrayBuffer> {
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  const fields = [
    [0, path],
    [100, octal(0o644, 7)],
    [108, octal(0, 7)],
    [116, octal(0, 7)],
  ] as const;
  const rest = [
    [124, octal(length, 11)],
    [136, octal(0, 11)],
    [148, ' '.repeat(8)],
    [156, '0'],
    [257, 'ustar\x0000'],
  ] as const;
  const header = new Uint8Array(512);
  for (const [at, text] of [...fields, ...rest]) header.set(new TextEncoder().encode(text), at);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.set(new TextEncoder().encode(`${octal(sum, 6)}\0 `), 148);
  return header;
}
