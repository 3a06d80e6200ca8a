// Packs the libraries and the command line, unless the registry has them, and publishes what it lacks, so that it can be repeated.
// Usage: node scripts/publish.mjs [--tag vVERSION] [--out DIR] [--built] [--no-provenance]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LIBRARIES } from './packing/libraries.mjs';
import { manifestOf, readManifest } from './packing/workspace.mjs';
import { prepare, root, run } from './prepare.mjs';

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

/** Names of the packages that each script makes, in the order in which they depend on each other: published ones can always be installed. */
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

/** The registry that npm is configured to use, with a slash at its end. */
function registryUrl() {
  const { status, stdout, stderr } = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm config get registry: ${stderr}`);
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
try {
  if (options.tag !== undefined && options.tag !== `v${version}`)
    throw new Error(`the tag is ${options.tag}, and the packages have version ${version}`);
  const there = await published(registryUrl(), Object.values(SCRIPTS).flat(), version);
  for (const [script, names] of Object.entries(SCRIPTS)) {
    const made = names.every((name) => there.has(name)) ? [] : packed(script, out);
    for (const name of names) {
      const called = `${name}@${version}`;
      if (there.has(name)) {
        console.log(`${called}: is published`);
        continue;
      }
      const { file } = made.find((each) => each.name === name && each.version === version) ?? {};
      if (file === undefined) throw new Error(`${script} has not made ${called}`);
      // In the manifests, as everybody's default; off only if nothing can sign the statement.
      run(`publishing ${called}`, 'npm', ['publish', file, ...(options.provenance ? [] : ['--provenance=false'])]);
    }
  }
} catch (error) {
  console.error(`not published: ${error.message}`);
  process.exitCode = 1;
} finally {
  if (options.out === undefined) rmSync(out, { recursive: true, force: true });
}
