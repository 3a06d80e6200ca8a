// Layers of an image below our files: Node, the libraries it is linked with, certificates, and no shell.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../prepare.mjs';
import { unpackDebian } from './debian.mjs';
import { unpackNode } from './node.mjs';
import { writeFileIn } from './published.mjs';

/** The Node of the image, with the hashes of its packages. */
const NODE = {
  version: '22.23.3',
  x64: 'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
  arm64: 'sha512-l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==',
};
const DEBIAN = ['base-files', 'ca-certificates', 'libc6', 'libgcc-s1', 'libstdc++6'];

/** Has no password, no shell, and owns nothing of the image. */
export const USER = 65_532;

const cache = process.env.SWITCHYARD_CACHE ?? join(root, '.cache');

/**
 * Made once for each content of these scripts, and used again.
 *
 * @returns {string} the directory.
 * @throws when Debian's packages or npm's cannot be had.
 */
export function base() {
  const hash = createHash('sha256').update(process.arch);
  for (const name of ['base', 'debian', 'node'])
    hash.update(readFileSync(join(root, 'scripts', 'packing', `${name}.mjs`)));
  const place = join(cache, `image-base-${hash.digest('hex').slice(0, 12)}`);
  if (existsSync(place)) return place;
  mkdirSync(cache, { recursive: true });
  const unfinished = mkdtempSync(`${place}.`);
  const work = mkdtempSync(join(tmpdir(), 'switchyard-base-'));
  try {
    chmodSync(unfinished, 0o755);
    addDebian(unfinished, work);
    addNode(unfinished, work);
    addAccounts(unfinished);
    if (!existsSync(place)) renameSync(unfinished, place);
  } finally {
    rmSync(work, { recursive: true, force: true });
    rmSync(unfinished, { recursive: true, force: true });
  }
  return place;
}

/** Shared libraries, certificates, licences and what the packages are; not what installs, converts or translates. */
function addDebian(to, work) {
  const debian = join(work, 'debian');
  mkdirSync(debian);
  unpackDebian(DEBIAN, debian);
  for (const folder of ['lib', 'usr/lib'].flatMap((each) => [
    each,
    ...triplets(join(debian, each)).map((name) => join(each, name)),
  ])) {
    for (const name of readdirSync(join(debian, folder))) {
      if (/\.so(\.|$)|^ld-/.test(name)) copy(debian, join(folder, name), to);
    }
  }
  if (existsSync(join(debian, 'lib64'))) copy(debian, 'lib64', to);
  copy(debian, 'usr/lib/os-release', to);
  copy(debian, 'etc/debian_version', to);
  copy(debian, 'var/lib/dpkg/status.d', to);
  for (const name of DEBIAN) {
    const folder = join('usr/share/doc', name);
    if (existsSync(join(debian, folder, 'copyright'))) copy(debian, join(folder, 'copyright'), to);
  }
  mkdirSync(join(to, 'etc'), { recursive: true });
  symlinkSync('../usr/lib/os-release', join(to, 'etc', 'os-release'));
  const mozilla = join(debian, 'usr/share/ca-certificates/mozilla');
  const certificates = readdirSync(mozilla)
    .sort()
    .map((name) => readFileSync(join(mozilla, name), 'utf8'));
  writeFileIn(to, 'etc/ssl/certs/ca-certificates.crt', certificates.join(''));
}

const triplets = (folder) =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('-linux-gnu')) : [];

const copy = (from, path, to) => cpSync(join(from, path), join(to, path), { recursive: true, verbatimSymlinks: true });

function addNode(to, work) {
  const unpacked = unpackNode(NODE, work);
  for (const [from, path] of [
    ['bin/node', 'usr/local/bin/node'],
    ['LICENSE', 'usr/share/doc/node/LICENSE'],
  ]) {
    mkdirSync(join(to, dirname(path)), { recursive: true });
    cpSync(join(unpacked, from), join(to, path));
  }
}

function addAccounts(to) {
  const line = `nonroot:x:${USER}:`;
  writeFileIn(to, 'etc/passwd', `root:x:0:0:root:/root:/sbin/nologin\n${line}${USER}:nonroot:/data:/sbin/nologin\n`);
  writeFileIn(to, 'etc/group', `root:x:0:\n${line}\n`);
  writeFileIn(to, 'etc/nsswitch.conf', 'hosts: files dns\n');
  // For any user: the root is read-only if these are not mounted.
  for (const name of ['tmp', 'data']) {
    mkdirSync(join(to, name));
    chmodSync(join(to, name), 0o1777);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(base());
