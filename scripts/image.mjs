// Makes the container image of all processes, as a file that `docker load` and `ctr images import` read, without an engine or a
// registry: one layer with Node and its libraries, one with /app. deploy/Dockerfile makes the same with an engine, from the
// layers. Usage: node scripts/image.mjs [--built] [--name NAME:TAG] [--out FILE | --layers DIRECTORY] [--json]
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { programs } from './bundle.mjs';
import { base, USER } from './packing/base.mjs';
import { packImage } from './packing/image.mjs';
import { closureOf, copyInstalled, isForeign } from './packing/installed.mjs';
import { copyNative, copyOurs, NATIVE, readProduct } from './packing/product.mjs';
import { json, writeFileIn } from './packing/published.mjs';
import { manifestOf, readManifest } from './packing/workspace.mjs';
import { prepare, root } from './prepare.mjs';
import { noticesOf, readLock } from './supply-chain.mjs';

const { version, license, description } = readManifest(root);

/** deploy/Dockerfile has the same; a test compares them. */
export const CONFIG = {
  User: `${USER}:${USER}`,
  WorkingDir: '/data',
  Env: ['PATH=/usr/local/bin:/usr/bin:/bin', 'NODE_ENV=production', 'SWITCHYARD_HOME=/data'],
  Entrypoint: ['/usr/local/bin/node', '/app/bin/switchyard.mjs'],
};

/** Loaded by name at run time, so no import leads there: the compiler with which the explorer verifies sources. */
const LOADED_BY_NAME = [{ from: 'packages/explorer', name: 'solc' }];

/** Writes /app: our files, a program for each command and process in `bin`, and the libraries that these load. */
export async function writeApp(to) {
  copyOurs(to);
  const lock = readLock();
  const imports = readProduct().importers.map(({ library, name }) => ({ from: `packages/${name}`, name: library }));
  const places = closureOf(lock, [
    ...imports,
    ...LOADED_BY_NAME,
    { from: 'packages/evm-machine', name: 'node-gyp-build' },
  ]);
  const platform = `linux-${process.arch}`;
  // We load only its native part, which is copied below.
  copyInstalled(
    places.filter((place) => !isForeign(place) && place !== join('node_modules', NATIVE)),
    to,
    platform,
  );
  copyNative(to);
  const commands = Object.keys(manifestOf('cli').bin).map((name) => [name, `cli/bin/${name}.mjs`]);
  const processes = readdirSync(programs).flatMap((file) => {
    const name = /^([a-z]+)-main\.js$/.exec(file)?.[1];
    return name === undefined ? [] : [[name, `cli/dist/programs/${file}`]];
  });
  for (const [name, file] of [...commands, ...processes]) {
    const text = `#!/usr/bin/env node\nimport '../packages/${file}';\n`;
    writeFileIn(to, join('bin', `${name}.mjs`), text, { mode: 0o755 });
  }
  writeFileIn(to, 'package.json', json({ name: 'switchyard', version, license, description, type: 'module' }));
  cpSync(join(root, 'LICENSE'), join(to, 'LICENSE'));
  writeFileSync(join(to, 'THIRD_PARTY.md'), noticesOf(lock));
}

/** @returns {number} bytes of the files in a directory. */
function sizeOf(directory) {
  return readdirSync(directory, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return sum + sizeOf(path);
    return entry.isFile() ? sum + statSync(path).size : sum;
  }, 0);
}

async function main() {
  const { values: options } = parseArgs({
    options: {
      built: { type: 'boolean' },
      name: { type: 'string', default: `localhost/switchyard:${version}` },
      out: { type: 'string', default: join(root, 'dist', 'switchyard-image.tar') },
      layers: { type: 'string' },
      json: { type: 'boolean' },
    },
  });
  if (process.platform !== 'linux')
    throw new Error(`it is made on Linux, got ${process.platform}: use deploy/Dockerfile`);
  if (options.layers !== undefined && existsSync(options.layers)) throw new Error(`${options.layers} exists already`);
  if (!options.built) prepare();
  const work = mkdtempSync(join(tmpdir(), 'switchyard-image-'));
  try {
    const app = join(work, 'app');
    await writeApp(join(app, 'app'));
    const layers = { base: base(), app };
    const size = sizeOf(layers.base) + sizeOf(layers.app);
    if (options.layers !== undefined) {
      mkdirSync(options.layers, { recursive: true });
      for (const [name, from] of Object.entries(layers)) {
        cpSync(from, join(options.layers, name), { recursive: true, verbatimSymlinks: true });
      }
      return { directory: resolve(options.layers), size };
    }
    const out = resolve(options.out);
    const { digests } = await packImage({ name: options.name, layers: Object.values(layers), config: CONFIG, out });
    return { name: options.name, file: out, size, digests };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const made = await main();
    const mb = `${Math.round(made.size / 1_000_000)} MB`;
    console.log(process.argv.includes('--json') ? JSON.stringify(made) : `${made.file ?? made.directory}: ${mb}`);
  } catch (error) {
    console.error(`the image was not made: ${error.message}`);
    process.exit(1);
  }
}
