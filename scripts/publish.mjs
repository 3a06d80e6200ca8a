// Packs the libraries and the command line, unless the registry has them, and publishes what it lacks, so that it can be repeated.
// Usage: node scripts/publish.mjs [--tag vVERSION] [--out DIR] [--built] [--no-provenance]
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { LIBRARIES } from './packing/libraries.mjs';
import { manifestOf, readManifest, SCOPE } from './packing/workspace.mjs';
import { prepare, root } from './prepare.mjs';

const { values: options } = parseArgs({
  allowNegative: true,
  options: {
    tag: { type: 'string' },
    // Keeps the packages that are made there.
    out: { type: 'string' },
    built: { type: 'boolean' },
    provenance: { type: 'boolean', default: true },
  },
});
if (!options.built) prepare();

/** Names of the packages that each script makes, in the order in which they depend on each other. */
const SCRIPTS = {
  'pack-libraries.mjs': LIBRARIES.map((name) => manifestOf(name).name),
  'pack.mjs': ['switchyard'],
  'pack-create.mjs': ['create-switchyard'],
};

function packed(script, out) {
  const args = [join(root, 'scripts', script), '--built', '--json', '--out', out];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${script}: ${stderr}`);
  return [JSON.parse(stdout)].flat();
}

const npm = (...args) => promisify(execFile)('npm', args);

/** The registry that npm is configured to use, with a slash at its end. */
async function registryUrl() {
  const { stdout } = await npm('config', 'get', 'registry');
  return stdout.trim().replace(/\/?$/, '/');
}

async function isPublished(registry, name, version) {
  const url = new URL(`${name.replace('/', '%2f')}/${version}`, registry);
  const { ok, status } = await fetch(url);
  if (!ok && status !== 404) throw new Error(`${url}: expected status 200 or 404, got ${status}`);
  return ok;
}

/** @returns the packages of these names that the registry has already. */
async function published(registry, names, version) {
  const asked = names.map(async (name) => ((await isPublished(registry, name, version)) ? [name] : []));
  return new Set((await Promise.all(asked)).flat());
}

const { version } = readManifest(root);
const out = options.out ?? mkdtempSync(join(tmpdir(), 'switchyard-publish-'));

/** Publishes a package unless it is there, once those are that it depends on: published packages can always be installed. */
async function publishOnce(name, made, publishing) {
  const called = `${name}@${version}`;
  const { file } = made.find((each) => each.name === name && each.version === version) ?? {};
  if (there.has(name)) {
    console.log(`${called}: is published`);
    return;
  }
  if (file === undefined) throw new Error(`${called} was not made`);
  const { dependencies = {} } = name.startsWith(SCOPE) ? manifestOf(name.slice(SCOPE.length)) : {};
  await Promise.all(Object.keys(dependencies).map((each) => publishing.get(each)));
  // In the manifests, as everybody's default; off only if nothing can sign the statement.
  const { stdout } = await npm('publish', file, ...(options.provenance ? [] : ['--provenance=false']));
  process.stdout.write(stdout);
}

let there = new Set();
try {
  if (options.tag !== undefined && options.tag !== `v${version}`)
    throw new Error(`the tag is ${options.tag}, and the packages have version ${version}`);
  there = await published(await registryUrl(), Object.values(SCRIPTS).flat(), version);
  const isMissing = (name) => !there.has(name);
  // All are made before one is published: a version that is published cannot be taken back.
  const made = Object.entries(SCRIPTS).flatMap(([script, names]) => (names.some(isMissing) ? packed(script, out) : []));
  const publishing = new Map();
  for (const name of Object.values(SCRIPTS).flat()) publishing.set(name, publishOnce(name, made, publishing));
  // Not before all have ended: they read the packages.
  const failed = (await Promise.allSettled(publishing.values())).find(({ status }) => status === 'rejected');
  if (failed !== undefined) throw failed.reason;
} catch (error) {
  console.error(`not published: ${error.message}`);
  process.exitCode = 1;
} finally {
  if (options.out === undefined) rmSync(out, { recursive: true, force: true });
}
