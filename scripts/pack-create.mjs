// Makes the package `create-switchyard`: one .tgz without dependencies, with the templates inside.
// Usage: node scripts/pack-create.mjs [--out DIR --built --json]
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { copyTemplates } from './packing/product.mjs';
import { copyNotices, json, makePackage, publishedFields, writeFileIn } from './packing/published.mjs';
import { manifestOf, packages } from './packing/workspace.mjs';
import { prepare, root } from './prepare.mjs';

const { values: options } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'dist') },
    built: { type: 'boolean' },
    json: { type: 'boolean' },
  },
});
if (!options.built) prepare();

const PLACE = 'packages/create';
const FILES = ['bin/create-switchyard.mjs', 'dist/create-switchyard.js', 'dist/new-project.js'];
const made = makePackage(options.out, (staging) => {
  for (const file of FILES) cpSync(join(root, PLACE, file), join(staging, PLACE, file));
  copyTemplates(staging);
  copyNotices(staging, [join(packages, 'create'), root]);
  const manifest = manifestOf('create');
  const published = {
    name: 'create-switchyard',
    ...publishedFields(manifest, PLACE),
    os: ['linux', 'darwin'],
    bin: { 'create-switchyard': join(PLACE, manifest.bin['create-switchyard']) },
    exports: { './package.json': './package.json' },
  };
  writeFileIn(staging, 'package.json', json(published));
});
console.log(
  options.json ? JSON.stringify(made) : `${made.file}: ${Math.ceil(made.size / 1_000)} KB, ${made.files} files`,
);
