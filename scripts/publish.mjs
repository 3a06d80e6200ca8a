// Packs the libraries and the command line and publishes what the registry does not have yet, so that it can be repeated.
// Usage: node scripts/publish.mjs [--tag vVERSION] [--out DIR] [--built] [--no-provenance]
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { prepare, root, run } from './prepare.mjs';

const { values: options } = parseArgs({
  allowNegative: true,
  options: {
    tag: { type: 'string' },
    // Keeps the packages there.
    out: { type: 'string' },
    built: { type: 'boolean' },
    provenance: { type: 'boolean', default: true },
  },
});
if (!options.built) prepare();

function packed(script, out) {
  const args = [join(root, 'scripts', script), '--built', '--json', '--out', out];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${script}: ${stderr}`);
  return [JSON.parse(stdout)].flat();
}

/** Processes of npm at a time, each of which mostly starts. */
const AT_A_TIME = 4;

async function isPublished({ name, version }) {
  const view = promisify(execFile)('npm', ['view', `${name}@${version}`, 'version']);
  return view.then(
    ({ stdout }) => stdout.trim() === version,
    () => false,
  );
}

/** @returns the packages that the registry has already. */
async function published(packages) {
  const there = new Set();
  const waiting = [...packages];
  const ask = async () => {
    for (let each = waiting.shift(); each !== undefined; each = waiting.shift())
      if (await isPublished(each)) there.add(each);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, ask));
  return there;
}

const out = options.out ?? mkdtempSync(join(tmpdir(), 'switchyard-publish-'));
try {
  // In the order in which they depend on each other, so that published packages can always be installed.
  const made = [...packed('pack-libraries.mjs', out), ...packed('pack.mjs', out), ...packed('pack-create.mjs', out)];
  const odd = made.filter(({ version }) => options.tag !== undefined && options.tag !== `v${version}`);
  if (odd.length > 0) throw new Error(`the tag is ${options.tag}, and ${odd[0].name} has version ${odd[0].version}`);
  const there = await published(made);
  for (const each of made) {
    const called = `${each.name}@${each.version}`;
    if (there.has(each)) console.log(`${called}: is published`);
    // In the manifests, as everybody's default; off only if nothing can sign the statement.
    else
      run(`publishing ${called}`, 'npm', ['publish', each.file, ...(options.provenance ? [] : ['--provenance=false'])]);
  }
} catch (error) {
  console.error(`not published: ${error.message}`);
  process.exitCode = 1;
} finally {
  if (options.out === undefined) rmSync(out, { recursive: true, force: true });
}
