// Makes the image of an example that is compiled, as the how-to describes it, without an engine: FILE, as `docker load` reads it.
// Usage: node e2e/support/example-image.mjs DIRECTORY NAME:TAG FILE
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONFIG } from '../../scripts/image.mjs';
import { base } from '../../scripts/packing/base.mjs';
import { packImage } from '../../scripts/packing/image.mjs';
import { closureOf, copyInstalled, isForeign } from '../../scripts/packing/installed.mjs';
import { manifestOf, SCOPE } from '../../scripts/packing/workspace.mjs';
import { root } from '../../scripts/prepare.mjs';
import { readLock } from '../../scripts/supply-chain.mjs';

const [directory, name, out] = process.argv.slice(2);

/** Our packages that a rollup needs, and their foreign imports. */
function packagesOf(first) {
  const found = new Set(first);
  for (const each of found)
    for (const other of Object.keys(manifestOf(each).dependencies ?? {}))
      if (other.startsWith(SCOPE)) found.add(other.slice(SCOPE.length));
  return [...found];
}

const work = mkdtempSync(join(tmpdir(), 'switchyard-example-'));
try {
  const rollup = join(work, 'rollup');
  const ours = packagesOf(['rollup']);
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(directory, part), join(rollup, part), { recursive: true });
  const imports = ours.flatMap((each) =>
    Object.keys(manifestOf(each).dependencies ?? {}).flatMap((library) =>
      library.startsWith(SCOPE) ? [] : [{ from: `packages/${each}`, name: library }],
    ),
  );
  copyInstalled(
    closureOf(readLock(), imports).filter((place) => !isForeign(place)),
    rollup,
    `linux-${process.arch}`,
  );
  for (const each of ours)
    for (const part of ['dist', 'package.json'])
      cpSync(join(root, 'packages', each, part), join(rollup, 'node_modules', '@switchyard', each, part), {
        recursive: true,
      });
  const [program] = Object.values(JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')).bin);
  const Entrypoint = ['/usr/local/bin/node', '--enable-source-maps', `/rollup/${program}`];
  await packImage({ name, layers: [base(), work], config: { ...CONFIG, Entrypoint }, out });
} finally {
  rmSync(work, { recursive: true, force: true });
}
