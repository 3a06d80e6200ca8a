// Makes packages/*/src/gen from packages/*/proto. The output is committed and never edited. With --check nothing is written, and
// it fails where the committed output is another one.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const buf = join(root, 'node_modules', '@bufbuild', 'buf', 'bin', 'buf');
const isCheck = process.argv.includes('--check');

/** Contents by path. */
function filesIn(directory) {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort();
  const files = paths.filter((path) => statSync(join(directory, path)).isFile());
  return JSON.stringify(files.map((path) => [path, readFileSync(join(directory, path), 'utf8')]));
}

let failed = false;
for (const name of readdirSync(join(root, 'packages')).sort()) {
  const protos = join('packages', name, 'proto');
  if (!existsSync(join(root, protos))) continue;
  const own = join('packages', name, 'buf.gen.yaml');
  const template = existsSync(join(root, own)) ? own : 'buf.gen.yaml';
  const committed = join('packages', name, 'src', 'gen');
  const out = isCheck ? mkdtempSync(join(tmpdir(), 'switchyard-gen-')) : committed;
  const args = ['generate', protos, '--template', template, '--output', out];
  const { status } = spawnSync(process.execPath, [buf, ...args], { cwd: root, stdio: 'inherit' });
  const isDone = status === 0 && (!isCheck || filesIn(out) === filesIn(join(root, committed)));
  if (isCheck) rmSync(out, { recursive: true });
  failed ||= !isDone;
  console.log(`${protos} -> ${committed}: ${isDone ? 'done' : status === 0 ? 'differs, run npm run gen' : 'failed'}`);
}
if (failed) process.exit(1);
