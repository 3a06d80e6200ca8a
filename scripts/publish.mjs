// Packs the libraries and the command line and publishes what the registry does not have yet, so that it can be repeated.
// Usage: node scripts/publish.mjs [--tag vVERSION] [--built] [--no-provenance]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepare, root, run } from './prepare.mjs';

const { values: options } = parseArgs({
  allowNegative: true,
  options: {
    tag: { type: 'string' },
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

function isPublished({ name, version }) {
  const { status, stdout } = spawnSync('npm', ['view', `${name}@${version}`, 'version'], { encoding: 'utf8' });
  return status === 0 && stdout.trim() === version;
}

const out = mkdtempSync(join(tmpdir(), 'switchyard-publish-'));
try {
  // In the order in which they depend on each other, so that what is there can always be installed.
  const made = [...packed('pack-libraries.mjs', out), ...packed('pack.mjs', out), ...packed('pack-create.mjs', out)];
  const odd = made.filter(({ version }) => options.tag !== undefined && options.tag !== `v${version}`);
  if (odd.length > 0) throw new Error(`the tag is ${options.tag}, and ${odd[0].name} has version ${odd[0].version}`);
  for (const each of made) {
    const called = `${each.name}@${each.version}`;
    if (isPublished(each)) console.log(`${called}: is published`);
    // In the manifests, as everybody's default; off only where nothing can sign the statement.
    else
      run(`publishing ${called}`, 'npm', ['publish', each.file, ...(options.provenance ? [] : ['--provenance=false'])]);
  }
} catch (error) {
  console.error(`not published: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(out, { recursive: true, force: true });
}
