// Builds Celestia's programs from the Go proxy alone: `celestia`, which is bridge and light node, and `celestia-appd`, the consensus
// node. Plain Node without a build of ours: `switchyard dev install celestia` runs it, and scripts/celestia.mjs uses its parts.
//
//   build-celestia.mjs PROGRAM DIRECTORY    writes DIRECTORY/PROGRAM; DIRECTORY is empty
//
// Go's caches have what was compiled, so a build that was interrupted continues where it was.
import { spawn } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Its go.mod and go.sum pin everything else, celestia-app too; the hash is that of the checksum database. */
export const NODE = {
  module: 'github.com/celestiaorg/celestia-node',
  version: 'v0.31.6-corto',
  sum: 'h1:9ZEZ4hKlVKFg9dkHpLQCuO3TvshNu6TIxiep5B0JMCY=',
};
export const APP = { module: 'github.com/celestiaorg/celestia-app/v9', version: 'v9.0.4' };
/** The least that their go.mod takes. */
const GO = '1.26.2';

/** Often enough to see that it works. */
const PROGRESS_MS = 10_000;

/** Builders by the names of their files. Each takes an empty directory, and a function for lines on how far it is. */
export const PROGRAMS = { celestia: makeNode, 'celestia-appd': makeApp };

/** @throws {Error} of one line where there is no Go that can build them. */
export async function requireGo() {
  let found;
  try {
    found = (await go('.', ['env', 'GOVERSION'])).trim();
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    throw new Error(`Go is not installed: get Go ${GO} or newer from https://go.dev/dl`);
  }
  const numbers = (text) => text.match(/\d+/g)?.map(Number) ?? [];
  const [[major = 0, minor = 0, patch = 0], wanted] = [numbers(found), numbers(GO)];
  const isOlder = major - wanted[0] || minor - wanted[1] || patch - wanted[2];
  if (isOlder < 0) throw new Error(`expected Go ${GO} or newer, got ${found}: get one from https://go.dev/dl`);
}

/**
 * The source of the node, to be changed, with its own go.mod (all the replacements) and go.sum: some of the forks that it names are in the proxy
 * and not in the checksum database.
 */
async function pinned(directory, say) {
  say(`fetching ${NODE.module} ${NODE.version}`);
  const text = await go(directory, ['mod', 'download', '-json', `${NODE.module}@${NODE.version}`]);
  const { Dir: from, Sum: sum } = JSON.parse(text);
  if (sum !== NODE.sum) throw new Error(`${NODE.module} ${NODE.version}: expected ${NODE.sum}, got ${sum}`);
  const source = join(directory, 'source');
  copyWritable(from, source);
  if (!readFileSync(join(source, 'go.mod'), 'utf8').includes(`${APP.module} ${APP.version}\n`))
    throw new Error(`${NODE.module} ${NODE.version} does not name ${APP.module} ${APP.version}`);
  return source;
}

async function makeNode(directory, say = () => {}) {
  const source = await pinned(directory, say);
  // In a pod or on loopback there is no router to ask for a port.
  edit(join(source, 'nodebuilder', 'p2p', 'host.go'), [[/^.*libp2p\.NATPortMap\(\).*\n/m, '']]);
  const flags = [`-X ${NODE.module}/nodebuilder/node.semanticVersion=${NODE.version}`];
  await compile(source, ['./cmd/celestia'], join(directory, 'celestia'), { flags, say });
  copyFileSync(join(source, 'LICENSE'), join(directory, 'LICENSE'));
  rmSync(source, { recursive: true });
}

/**
 * Out of the same module graph, so that what both share is compiled once. The node pins an SDK a little older than the one that appd has of its own,
 * which the proxy lacks: of appd only the hook of a metric needs the newer one, and is taken out. Without the tags `multiplexer`, which embeds
 * older binaries by download, and `ledger`.
 */
async function makeApp(directory, say = () => {}) {
  const source = await pinned(directory, say);
  const [from] = (await go(source, ['list', '-mod=mod', '-m', '-f', '{{.Dir}}', APP.module])).split('\n');
  copyWritable(from, join(source, 'app'));
  edit(join(source, 'app', 'cmd', 'celestia-appd', 'cmd', 'modify_root_command.go'), [
    [/^.*GRPCServerOptions: [\s\S]*?^\t\t\t\},\n/m, ''],
    [/^.*app\/observability"\n/m, ''],
    [/^.*google\.golang\.org\/grpc"\n/m, ''],
  ]);
  await go(source, ['mod', 'edit', '-replace', `${APP.module}=./app`]);
  const facts = { Name: 'celestia-app', AppName: 'celestia-appd', Version: APP.version.slice(1) };
  const flags = Object.entries(facts).map(([key, value]) => `-X github.com/cosmos/cosmos-sdk/version.${key}=${value}`);
  const args = ['-mod=mod', `${APP.module}/cmd/celestia-appd`];
  await compile(source, args, join(directory, 'celestia-appd'), { flags, say });
  rmSync(source, { recursive: true });
}

/** Files of Go's module cache are read-only. */
function copyWritable(from, to) {
  cpSync(from, to, { recursive: true });
  for (const entry of readdirSync(to, { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
  chmodSync(to, 0o755);
}

/** @throws where a pattern is not found: the source is not what it was. */
function edit(file, changes) {
  let text = readFileSync(file, 'utf8');
  for (const [pattern, replacement] of changes) {
    if (!pattern.test(text)) throw new Error(`${file} has no ${pattern}`);
    text = text.replace(pattern, replacement);
  }
  writeFileSync(file, text);
}

/** A program without a symbol table and without the C library, the same bytes wherever it is built. */
export async function compile(source, args, out, { flags = [], say = () => {} } = {}) {
  const fixed = ['-v', '-trimpath', '-buildvcs=false', '-ldflags', ['-s', '-w', ...flags].join(' ')];
  let packages = 0;
  const report = setInterval(() => say(packages === 0 ? 'compiling' : `${packages} packages compiled`), PROGRESS_MS);
  try {
    // With -v it prints each package that it compiles.
    await go(source, ['build', ...fixed, '-o', out, ...args], (line) => {
      if (!line.includes(' ')) packages += 1;
    });
  } finally {
    clearInterval(report);
  }
}

/** @returns what it printed. @throws with the last line of what it reported. */
function go(directory, args, onLine = () => {}) {
  return new Promise((resolve, reject) => {
    const child = spawn('go', args, {
      cwd: directory,
      env: { ...process.env, GOFLAGS: '', CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOWORK: 'off' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (printed += text));
    let last = '';
    createInterface({ input: child.stderr }).on('line', (line) => {
      onLine(line);
      // Names of packages have no spaces.
      if (line.includes(' ')) last = line;
    });
    child.once('error', reject);
    child.once('close', (status) => {
      if (status === 0) return resolve(printed);
      reject(new Error(`go ${args[0]} in ${directory} failed: ${last || printed.trim().slice(-400)}`));
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name = '', directory = '.'] = process.argv.slice(2);
  try {
    await requireGo();
    mkdirSync(directory, { recursive: true });
    await PROGRAMS[name](directory, console.log);
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
