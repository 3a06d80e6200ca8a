// Builds what a Kubernetes cluster for tests runs, once for each content of e2e/cluster/programs: the components as one program,
// and the images of its add-ons. Only the Go proxy and Debian are contacted. Prints the two directories. Usage: node
// scripts/kubernetes.mjs [--built]; with --built nothing is built.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unpackDebian } from './packing/debian.mjs';
import { packImage } from './packing/image.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = process.env.SWITCHYARD_CACHE ?? join(root, '.cache');
const sources = join(root, 'e2e', 'cluster', 'programs');

/** Kubernetes chooses the component by the name it is called by. */
const COMPONENTS = [
  ...['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'],
  ...['kubelet', 'kube-proxy', 'kubectl'],
];

/** One static program each; the versions of the modules are in programs/addons/go.mod, and the tags in e2e/cluster/manifests. */
const ADDONS = [
  { name: 'pause', tag: '1', from: './pause' },
  { name: 'coredns', tag: '1.15.0', from: './coredns' },
  { name: 'traefik', tag: '3.7.13', from: 'github.com/traefik/traefik/v3/cmd/traefik' },
  { name: 'local-path-provisioner', tag: '0.0.30', from: 'github.com/rancher/local-path-provisioner' },
];

const BUILT = {
  programs: { place: placeOf('kubernetes', ['kube']), make: makePrograms },
  images: { place: placeOf('kubernetes-addons', ['addons']), make: makeImages },
};

/** @returns `programs` and `images`, the two directories, or `problem`: why they are not there. */
export async function build({ onlyBuilt = false } = {}) {
  for (const { place, make } of Object.values(BUILT)) {
    if (existsSync(place)) continue;
    if (onlyBuilt) return { problem: 'it is not built: run node scripts/kubernetes.mjs' };
    if (process.platform !== 'linux') return { problem: `it runs on Linux, got ${process.platform}` };
    if (spawnSync('go', ['version']).status !== 0) return { problem: 'Go is not installed' };
    mkdirSync(cache, { recursive: true });
    const unfinished = mkdtempSync(`${place}.`);
    try {
      await make(unfinished);
      // Whole or not there, despite interruptions; another run may have been faster.
      if (!existsSync(place)) renameSync(unfinished, place);
    } catch (error) {
      return { problem: error.message };
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
  }
  return { programs: BUILT.programs.place, images: BUILT.images.place };
}

/** Its name has a hash of everything that it is made from. */
function placeOf(name, directories) {
  const hash = createHash('sha256').update(process.arch);
  const scripts = [
    fileURLToPath(import.meta.url),
    ...['debian', 'image'].map((each) => join(root, 'scripts', 'packing', `${each}.mjs`)),
  ];
  for (const file of [...scripts, ...directories.flatMap((each) => filesIn(join(sources, each)))]) {
    hash.update(`\0${relative(root, file)}\0`).update(readFileSync(file));
  }
  return join(cache, `${name}-${hash.digest('hex').slice(0, 12)}`);
}

function filesIn(directory) {
  return readdirSync(directory, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      return entry.isDirectory() ? filesIn(path) : [path];
    });
}

function makePrograms(directory) {
  const manifest = readFileSync(join(sources, 'kube', 'go.mod'), 'utf8');
  const version = /^\tk8s\.io\/kubernetes (v\d+\.(\d+)\.\d+)$/m.exec(manifest);
  if (version === null) throw new Error('e2e/cluster/programs/kube/go.mod names no version of k8s.io/kubernetes');
  // Without these the components call themselves v0.0.0, and charts that need a version refuse.
  const facts = { gitVersion: version[1], gitMajor: '1', gitMinor: version[2], gitTreeState: 'clean' };
  const flags = Object.entries(facts).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  goBuild('kube', '.', join(directory, 'kube'), [...flags, `-X k8s.io/client-go/pkg/version.gitVersion=${version[1]}`]);
  for (const name of COMPONENTS) symlinkSync('kube', join(directory, name));
}

async function makeImages(directory) {
  const work = mkdtempSync(join(directory, 'work-'));
  for (const { name, tag, from } of ADDONS) {
    const layer = join(work, name);
    for (const folder of ['bin', 'etc', 'tmp']) mkdirSync(join(layer, folder), { recursive: true });
    goBuild('addons', from, join(layer, 'bin', name));
    await pack(directory, layer, name, tag, `/bin/${name}`);
  }
  // The shell of the pods that make and remove volumes.
  const debian = join(work, 'debian');
  const layer = join(work, 'busybox');
  for (const folder of [debian, join(layer, 'bin')]) mkdirSync(folder, { recursive: true });
  unpackDebian(['busybox-static'], debian);
  copyFileSync(join(debian, 'bin', 'busybox'), join(layer, 'bin', 'busybox'));
  for (const name of ['sh', 'mkdir', 'rm']) symlinkSync('busybox', join(layer, 'bin', name));
  await pack(directory, layer, 'busybox', '1', '/bin/sh');
  rmSync(work, { recursive: true });
}

const pack = (directory, layer, name, tag, program) =>
  packImage({
    name: `localhost/${name}:${tag}`,
    layers: [layer],
    config: { Entrypoint: [program], Env: ['PATH=/bin'] },
    out: join(directory, `${name}.tar`),
  });

/** @throws with the last line of what the compiler reported. */
function goBuild(module, from, out, flags = []) {
  // Without symbols for debuggers linking is faster and the file a third smaller.
  const args = ['build', '-trimpath', '-buildvcs=false', '-mod=readonly', '-ldflags', ['-s', '-w', ...flags].join(' ')];
  const { status, stderr } = spawnSync('go', [...args, '-o', out, from], {
    cwd: join(sources, module),
    env: { ...process.env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local' },
    stdio: ['ignore', 'inherit', 'pipe'],
    encoding: 'utf8',
    maxBuffer: 64 * 1_024 * 1_024,
  });
  if (status !== 0) throw new Error(`go build of ${basename(out)} failed: ${stderr.trim().split('\n').at(-1)}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const built = await build({ onlyBuilt: process.argv.includes('--built') });
  if (built.problem !== undefined) {
    console.error(`the Kubernetes cluster for tests cannot start: ${built.problem}`);
    process.exit(1);
  }
  console.log(`${built.programs}\n${built.images}`);
}
