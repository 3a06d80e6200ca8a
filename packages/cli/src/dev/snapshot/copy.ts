import { createHash } from 'node:crypto';
import { type Dirent, readdirSync, readlinkSync, statSync } from 'node:fs';
import { constants, copyFile, type FileHandle, mkdir, open, statfs, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '@switchyard/service/failure';
import type { Manifest } from './manifest.ts';

const CHUNK_BYTES = 1_048_576;
const BLOCK_BYTES = 65_536;
const ZEROS = Buffer.alloc(BLOCK_BYTES);

/** Tree to copy: just read, or from a manifest. */
type Copied = { readonly [Kind in 'directories' | 'links' | 'files']: readonly Tree[Kind][number][] };

/**
 * Copies a tree into `to`, which exists. Blocks are shared if the file system can; elsewhere holes stay holes, so
 * that a database file that reserves space takes no more of it than before.
 *
 * @throws the signal's reason between two pieces; copied parts stay.
 */
export async function copyTree(from: string, to: string, tree: Copied, signal: AbortSignal): Promise<void> {
  for (const { path, mode } of tree.directories) await mkdir(join(to, path), { recursive: true, mode: mode | 0o700 });
  for (const { path, target } of tree.links) await symlink(target, join(to, path));
  let canShare = true;
  for (const { path, mode } of tree.files) {
    signal.throwIfAborted();
    const target = join(to, path);
    await mkdir(dirname(target), { recursive: true });
    canShare &&= await shareBlocks(join(from, path), target);
    await withFile(target, canShare ? 'r' : 'w', mode, async (written) => {
      if (!canShare) await copyBytes(join(from, path), written, signal);
      // A key is never readable by others, regardless of the process's mask; and a copy that is renamed has to be there.
      await written.chmod(mode);
      await written.sync();
    });
  }
}

/** @returns Whether the file system did it; then both files share their blocks until one is written. */
async function shareBlocks(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (['ENOTSUP', 'EOPNOTSUPP', 'EXDEV', 'ENOSYS', 'ENOTTY', 'EINVAL'].includes(code)) return false;
    throw error;
  }
}

function copyBytes(from: string, target: FileHandle, signal: AbortSignal): Promise<void> {
  return withFile(from, 'r', 0, async (source) => {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let size = 0;
    for await (const bytes of iterateChunks(source, chunk, signal)) {
      for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
        const block = bytes.subarray(at, at + BLOCK_BYTES);
        if (!block.equals(ZEROS.subarray(0, block.length))) await writeAll(target, block, size + at);
      }
      size += bytes.length;
    }
    await target.truncate(size);
  });
}

/** SHA-256 of a file's contents, lower-case hex. */
export function hashOfFile(path: string, signal: AbortSignal): Promise<string> {
  return withFile(path, 'r', 0, async (file) => {
    const hash = createHash('sha256');
    for await (const bytes of iterateChunks(file, Buffer.alloc(CHUNK_BYTES), signal)) hash.update(bytes);
    return hash.digest('hex');
  });
}

/** Each piece is valid until the next is requested. */
async function* iterateChunks(file: FileHandle, chunk: Buffer, signal: AbortSignal): AsyncGenerator<Buffer> {
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) return;
    yield chunk.subarray(0, bytesRead);
  }
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
}

async function withFile<T>(path: string, flags: string, mode: number, use: (file: FileHandle) => Promise<T>) {
  const file = await open(path, flags, mode);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/** Contents of a directory, before its bytes are read. Paths are relative, with `/`. */
export type Tree = Readonly<ReturnType<typeof buildTree>>;

/** Walks the given files and directories of `root`; missing ones are left out. */
export function buildTree(root: string, tops: readonly string[]) {
  const directories: Manifest['directories'][number][] = [];
  const links: Manifest['links'][number][] = [];
  const files: { readonly path: string; readonly bytes: number; readonly mode: number }[] = [];
  /** Sockets, pipes, devices: they belong to processes and are left out. */
  const skipped: string[] = [];
  /** Space that a copy takes: less than the files' sizes when they have holes. */
  let storedBytes = 0;

  const visit = (path: string) => {
    const status = statSync(join(root, path));
    const mode = status.mode & 0o777;
    if (!status.isDirectory()) {
      storedBytes += Math.min(status.size, status.blocks * 512);
      files.push({ path, bytes: status.size, mode });
      return;
    }
    directories.push({ path, mode });
    const entries = readdirSync(join(root, path), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const below = `${path}/${entry.name}`;
      if (entry.isSymbolicLink()) links.push({ path: below, target: readlinkSync(join(root, below)) });
      else if (!entry.isDirectory() && !entry.isFile()) skipped.push(below);
      else if (!isLock(entry, entries)) visit(below);
    }
  };
  for (const top of tops) if (statSync(join(root, top), { throwIfNoEntry: false }) !== undefined) visit(top);
  return { directories, links, files, skipped, storedBytes };
}

/** LMDB's lock file lists the processes that have the database open. A copy has none, and LMDB makes a new one. */
function isLock({ name }: Dirent, siblings: readonly Dirent[]): boolean {
  return name === 'lock.mdb' && siblings.some((sibling) => sibling.name === 'data.mdb');
}

/**
 * Makes sure that a copy fits before anything is stopped for it. It may take less: holes are not written, and some file
 * systems share blocks.
 *
 * @throws {Failure} with both sizes.
 */
export async function requireSpace(directory: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  if (free >= bytes) return;
  throw new Failure(
    `${directory}: no room for a copy: it needs ${Math.ceil(bytes / 1e6)} MB, ${Math.floor(free / 1e6)} MB are free`,
  );
}
