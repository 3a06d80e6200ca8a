import { chmod, copyFile, mkdir, open, readdir, stat, writeFile } from 'node:fs/promises';
import { basename, isAbsolute, join, normalize } from 'node:path';
import { plain } from '@switchyard/protocol/hidden-characters';
import { Failure } from '@switchyard/service/failure';
import { extract, list, type ReadEntry } from 'tar';
import { type Download, PROGRAM_NOTE } from './program.ts';

/** More than any release has, and few enough to list. */
const MAX_ENTRIES = 100_000;

/**
 * Unpacks a downloaded file, a `tar`, `tar.gz` or the program itself, and notes which file is the program.
 *
 * @returns The program's path inside `directory`.
 * @throws {Failure} before anything is written, when an entry would leave the directory or all are too much.
 */
export async function unpack(file: string, directory: string, download: Download, maxBytes: number): Promise<string> {
  const { where, url, inside, names } = download;
  const kind = await getKind(file);
  if (kind === 'zip')
    throw new Failure(`${where}.download_url: ${url} is a zip file: expected tar.gz, tar, or the program itself`);
  await mkdir(directory, { recursive: true });
  let program = inside || (names[0] ?? 'program').replaceAll('/', '_');
  if (kind === 'program') {
    await mkdir(join(directory, program, '..'), { recursive: true });
    await copyFile(file, join(directory, program));
    await chmod(join(directory, program), 0o755);
  } else {
    await checkEntries(file, download, maxBytes);
    await extract({ file, cwd: directory, strict: true });
    program = inside || choose(await programsIn(directory), download);
    const status = await stat(join(directory, program)).catch(() => undefined);
    if (status?.isFile() !== true) {
      throw new Failure(`${where}.local_path: no file ${program} in ${url}; it has ${await getSome(directory)}`);
    }
    await chmod(join(directory, program), 0o755);
  }
  await writeFile(join(directory, PROGRAM_NOTE), program);
  return program;
}

async function getKind(path: string): Promise<'archive' | 'zip' | 'program'> {
  const file = await open(path);
  try {
    const head = Buffer.alloc(512);
    await file.read(head, 0, 512, 0);
    if (head.readUInt16BE(0) === 0x1f8b || head.toString('latin1', 257, 262) === 'ustar') return 'archive';
    return head.toString('latin1', 0, 4) === 'PK\u0003\u0004' ? 'zip' : 'program';
  } finally {
    await file.close();
  }
}

const KINDS: ReadonlySet<string> = new Set([
  'File',
  'OldFile',
  'ContiguousFile',
  'Directory',
  'GNUDumpDir',
  'SymbolicLink',
  'Link',
]);

async function checkEntries(file: string, { where, url }: Download, maxBytes: number): Promise<void> {
  let problem: string | undefined;
  let entries = 0;
  let bytes = 0;
  const look = ({ path, type, size, linkpath }: ReadEntry) => {
    entries += 1;
    bytes += size;
    const target = type === 'SymbolicLink' ? join(path, '..', linkpath ?? '') : (linkpath ?? '');
    if (leaves(path)) problem ??= `has an entry that leads out of its directory: ${path}`;
    else if (type.endsWith('Link') && (isAbsolute(linkpath ?? '') || leaves(target))) {
      problem ??= `has a link that leads out of its directory: ${path} -> ${linkpath}`;
    } else if (!KINDS.has(type)) problem ??= `has an entry that is no file, directory or link: ${path} (${type})`;
    else if (bytes > maxBytes || entries > MAX_ENTRIES) problem ??= 'would unpack to more than is allowed';
  };
  try {
    await list({ file, strict: true, onReadEntry: look });
  } catch (error) {
    problem ??= `cannot be unpacked: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (problem === undefined && entries === 0) problem = 'is an archive with nothing in it';
  if (problem !== undefined) throw new Failure(`${where}.download_url: ${url} ${plain(problem)}`);
}

function leaves(path: string): boolean {
  return isAbsolute(path) || normalize(path).split('/')[0] === '..';
}

async function programsIn(directory: string): Promise<string[]> {
  const found: string[] = [];
  for (const path of await filesIn(directory)) {
    if ((await stat(join(directory, path))).mode & 0o111) found.push(path);
  }
  return found;
}

/** All regular files, by their paths inside the directory. */
async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(directory.length + 1))
    .sort();
}

async function getSome(directory: string): Promise<string> {
  const files = await filesIn(directory);
  return `${files.slice(0, 10).join(', ')}${files.length > 10 ? `, and ${files.length - 10} more` : ''}`;
}

function choose(programs: readonly string[], { names, where, url }: Download): string {
  const [only] = programs;
  if (only !== undefined && programs.length === 1) return only;
  const named = programs.find((path) => names.includes(basename(path)));
  if (named !== undefined) return named;
  const has =
    programs.length === 0 ? 'no program' : `${programs.length} programs (${programs.slice(0, 10).join(', ')})`;
  throw new Failure(`${where}.local_path: ${url} has ${has}: give the path of the right one inside the archive`);
}
