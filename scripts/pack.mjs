// Makes the package of the command line that works outside the repository: one .tgz for `npm install -g FILE`, with the bundles
// inside, and the libraries that these leave outside as dependencies of exact versions. Usage: npm run pack [-- --out DIR --built]
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { copyNative, copyOurs, NATIVE, readProduct } from './packing/product.mjs';
import { copyNotices, json, makePackage, publishedFields, writeFileIn } from './packing/published.mjs';
import { manifestOf, packages, readManifest } from './packing/workspace.mjs';
import { prepare, root } from './prepare.mjs';
import { noticesOf, readLock } from './supply-chain.mjs';

const { values: options } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'dist') },
    built: { type: 'boolean' },
    json: { type: 'boolean' },
  },
});
if (!options.built) prepare();

const { libraries } = readProduct();
const made = makePackage(options.out, (staging) => {
  copyOurs(staging);
  const nativeVersion = copyNative(staging);
  const manifest = manifestOf('cli');
  const fields = publishedFields(manifest, 'packages/cli');
  const published = {
    name: 'switchyard',
    ...fields,
    description: readManifest(root).description,
    // On systems on which process groups, signals and the binaries of our libraries are what we have tested or built for.
    os: ['linux', 'darwin'],
    cpu: ['x64', 'arm64'],
    bin: Object.fromEntries(Object.entries(manifest.bin).map(([name, file]) => [name, join('packages/cli', file)])),
    // It has commands and no module to import.
    exports: { './package.json': './package.json' },
    dependencies: {
      ...Object.fromEntries([...libraries].sort(([a], [b]) => (a < b ? -1 : 1))),
      [NATIVE]: nativeVersion,
    },
    bundleDependencies: [NATIVE],
  };
  writeFileIn(staging, 'package.json', json(published));
  copyNotices(staging, [join(packages, 'cli'), root]);
  writeFileSync(join(staging, 'THIRD_PARTY.md'), noticesOf(readLock()));
});
const report = { ...made, libraries: libraries.size };
const kb = (bytes) => `${Math.round(bytes / 1_000)} KB`;
console.log(
  options.json
    ? JSON.stringify(report)
    : `${made.file}: ${kb(made.size)}, unpacked ${kb(made.unpackedSize)} in ${made.files} files; needs ${libraries.size} libraries`,
);
