// Builds Celestia's programs from the Go proxy alone, once for each version: `celestia`, which is bridge and light node,
// `celestia-appd`, the consensus node of a network for tests, the image of the light node that deployments run, and one of that
// consensus node. Needs Go 1.26.2. Usage: node scripts/celestia.mjs [--built] prints these four files, and builds nothing with
// --built; node scripts/celestia.mjs --image [--out FILE] writes the image of the light node alone.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { APP, compile, PROGRAMS, requireGo } from '../packages/cli/bin/build-celestia.mjs';
import { packProgram } from './packing/program.mjs';
import { root } from './prepare.mjs';

const cache = process.env.SWITCHYARD_CACHE ?? join(root, '.cache');
const light = join(root, 'deploy', 'da-light');
const { version: ourVersion } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const lightFiles = readdirSync(light).map((name) => join(light, name));
const builder = readFileSync(join(root, 'packages', 'cli', 'bin', 'build-celestia.mjs'));
const packers = ['image', 'program'].map((name) => join(root, 'scripts', 'packing', `${name}.mjs`));

// A later one is made from those before it.
const node = { place: placeOf('celestia', [builder]), make: PROGRAMS.celestia };
const app = { place: placeOf('celestia-app', [builder]), make: PROGRAMS['celestia-appd'] };
const lightImage = {
  place: placeOf('da-light', [
    makeLightImage,
    basename(node.place),
    ourVersion,
    ...[...lightFiles, ...packers].map((file) => readFileSync(file)),
  ]),
  make: makeLightImage,
};
const appImage = {
  place: placeOf('celestia-app-image', [
    makeAppImage,
    basename(app.place),
    ...packers.map((file) => readFileSync(file)),
  ]),
  make: makeAppImage,
};
const files = {
  celestia: join(node.place, 'celestia'),
  appd: join(app.place, 'celestia-appd'),
  lightImage: join(lightImage.place, 'image.tar'),
  appImage: join(appImage.place, 'image.tar'),
};

/** The name that a manifest has for the image if it names none. */
const IMAGE = `localhost/switchyard-da-light:${ourVersion}`;
const APP_IMAGE = `localhost/celestia-appd:${APP.version}`;

/** @returns the files, or `problem`: why they are not there. */
export async function build({ onlyBuilt = false, onlyImage = false } = {}) {
  for (const { place, make } of onlyImage ? [node, lightImage] : [node, app, lightImage, appImage]) {
    if (existsSync(place)) continue;
    if (onlyBuilt) return { problem: 'they are not built: run node scripts/celestia.mjs' };
    if (process.platform !== 'linux') return { problem: `they are built on Linux, got ${process.platform}` };
    mkdirSync(cache, { recursive: true });
    const unfinished = mkdtempSync(`${place}.`);
    try {
      await requireGo();
      await make(unfinished);
      // Whole or not there, despite interruptions; another run may have been faster.
      if (!existsSync(place)) renameSync(unfinished, place);
    } catch (error) {
      return { problem: error.message };
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
  }
  return files;
}

/** Its name has a hash of what it is made from: texts, bytes, and functions by their source. */
function placeOf(name, parts) {
  const hash = createHash('sha256').update(process.arch);
  for (const part of parts) hash.update('\0').update(part instanceof Uint8Array ? part : String(part));
  return join(cache, `${name}-${hash.digest('hex').slice(0, 12)}`);
}

async function makeLightImage(directory) {
  const layer = join(directory, 'layer');
  const licenses = join(layer, 'usr', 'share', 'doc', 'celestia-node');
  for (const place of [join(layer, 'bin'), licenses]) mkdirSync(place, { recursive: true });
  copyFileSync(files.celestia, join(layer, 'bin', 'celestia'));
  await compile(light, ['.'], join(layer, 'bin', 'da-light'));
  copyFileSync(join(node.place, 'LICENSE'), join(licenses, 'LICENSE'));
  await packProgram({
    layer,
    name: IMAGE,
    out: join(directory, 'image.tar'),
    entry: '/bin/da-light',
    command: ['run'],
  });
}

/** For networks inside a cluster for tests. */
async function makeAppImage(directory) {
  const layer = join(directory, 'layer');
  mkdirSync(join(layer, 'bin'), { recursive: true });
  copyFileSync(files.appd, join(layer, 'bin', 'celestia-appd'));
  await packProgram({ layer, name: APP_IMAGE, out: join(directory, 'image.tar'), entry: '/bin/celestia-appd' });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values: options } = parseArgs({
    options: {
      built: { type: 'boolean' },
      image: { type: 'boolean' },
      out: { type: 'string', default: join(root, 'dist', 'switchyard-da-light-image.tar') },
    },
  });
  const built = await build({ onlyBuilt: options.built, onlyImage: options.image });
  if (built.problem !== undefined) {
    console.error(`Celestia's programs are not there: ${built.problem}`);
    process.exit(1);
  }
  if (options.image) {
    mkdirSync(join(root, 'dist'), { recursive: true });
    copyFileSync(built.lightImage, resolve(options.out));
    console.log(`${resolve(options.out)}: ${IMAGE}`);
  } else console.log(Object.values(built).join('\n'));
}
