// Regenerates packages/*/src/gen from packages/*/proto. The output is committed and never edited.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const buf = join(root, 'node_modules', '@bufbuild', 'buf', 'bin', 'buf');

let failed = false;
for (const name of readdirSync(join(root, 'packages')).sort()) {
  const protos = join('packages', name, 'proto');
  if (!existsSync(join(root, protos))) continue;
  const own = join('packages', name, 'buf.gen.yaml');
  const template = existsSync(join(root, own)) ? own : 'buf.gen.yaml';
  const out = join('packages', name, 'src', 'gen');
  const args = ['generate', protos, '--template', template, '--output', out];
  const { status } = spawnSync(process.execPath, [buf, ...args], { cwd: root, stdio: 'inherit' });
  failed ||= status !== 0;
  console.log(`${protos} -> ${out}: ${status === 0 ? 'done' : 'failed'}`);
}
if (failed) process.exit(1);
