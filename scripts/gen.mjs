// Regenerates packages/*/src/gen from packages/*/proto. The output is committed and never edited.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const buf = join(root, 'node_modules', '@bufbuild', 'buf', 'bin', 'buf');

const hasProtos = (directory) =>
  existsSync(join(root, directory)) &&
  readdirSync(join(root, directory), { recursive: true }).some((file) => file.endsWith('.proto'));

// buf stops at a module without files, so only those that have some are passed on.
const config = readFileSync(join(root, 'buf.yaml'), 'utf8')
  .split('\n')
  .filter((line) => !line.startsWith('  - path: ') || hasProtos(line.slice('  - path: '.length).trim()))
  .join('\n');
const scratch = mkdtempSync(join(tmpdir(), 'gen-'));
writeFileSync(join(scratch, 'buf.yaml'), config);

let failed = false;
for (const name of readdirSync(join(root, 'packages')).sort()) {
  const protos = join('packages', name, 'proto');
  if (!hasProtos(protos)) continue;
  const own = join('packages', name, 'buf.gen.yaml');
  const template = existsSync(join(root, own)) ? own : 'buf.gen.yaml';
  const out = join('packages', name, 'src', 'gen');
  const args = ['generate', protos, '--template', template, '--output', out];
  const { status } = spawnSync(process.execPath, [buf, ...args, '--config', join(scratch, 'buf.yaml')], {
    cwd: root,
    stdio: 'inherit',
  });
  failed ||= status !== 0;
  console.log(`${protos} -> ${out}: ${status === 0 ? 'done' : 'failed'}`);
}
rmSync(scratch, { recursive: true });
if (failed) process.exit(1);
