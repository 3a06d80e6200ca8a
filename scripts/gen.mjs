// Makes packages/*/src/gen: protobuf code from packages/*/proto, and WebAssembly modules from scripts/wasm. The output is
// committed and never edited. With --check nothing is written, and it fails if the committed output differs.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const buf = join(root, 'node_modules', '@bufbuild', 'buf', 'bin', 'buf');
const isCheck = process.argv.includes('--check');

/** Contents by path, without WebAssembly modules. */
function filesIn(directory) {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort();
  const files = paths.filter((path) => !path.startsWith('wasm') && statSync(join(directory, path)).isFile());
  return JSON.stringify(files.map((path) => [path, readFileSync(join(directory, path), 'utf8')]));
}

/** Texts of files by their paths in `packages`. Bundled, since Node 20 runs no TypeScript. */
async function wasmFiles() {
  const input = join(root, 'scripts', 'wasm', 'generate.ts');
  const bundle = await rolldown({ input, platform: 'node', external: ['wabt'] });
  const file = join(root, '.cache', 'generate-wasm.mjs');
  await bundle.write({ format: 'esm', file });
  await bundle.close();
  return (await import(pathToFileURL(file).href)).WASM_FILES;
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
// After `buf`, which empties directories.
for (const [path, text] of Object.entries(await wasmFiles())) {
  const file = join(root, 'packages', path);
  if (!isCheck) mkdirSync(dirname(file), { recursive: true });
  if (!isCheck) writeFileSync(file, text);
  const isDone = existsSync(file) && readFileSync(file, 'utf8') === text;
  failed ||= !isDone;
  console.log(`scripts/wasm -> packages/${path}: ${isDone ? 'done' : 'differs, run npm run gen'}`);
}
if (failed) process.exit(1);
