// The registry metadata of every package of ours, and how one is made.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { root } from '../prepare.mjs';
import { readManifest } from './workspace.mjs';

export const json = (value) => `${JSON.stringify(value, null, 2)}\n`;

/** The members of a published manifest that are the same for all; the root manifest and the package's own have them. */
export function publishedFields({ version, description, license, engines, sideEffects }, directory) {
  const { repository, homepage, bugs } = readManifest(root);
  return {
    version,
    description,
    license,
    repository: { ...repository, directory },
    homepage,
    bugs,
    type: 'module',
    engines,
    // Bundlers leave out modules of which nothing is used.
    sideEffects,
    // Signed statements of which commit and workflow a package was built from.
    publishConfig: { access: 'public', provenance: true },
  };
}

/** Lets `fill` write a package into an empty directory, and makes a .tgz of it in `out`. */
export function makePackage(out, fill) {
  const [made] = makePackages(out, [fill]);
  return made;
}

/** Like `makePackage`, for several packages: one start of npm takes as long as packing. */
export function makePackages(out, fills) {
  const staging = mkdtempSync(join(tmpdir(), 'switchyard-pack-'));
  try {
    const places = fills.map((fill, index) => {
      const place = join(staging, String(index));
      mkdirSync(place);
      fill(place);
      return place;
    });
    const directory = resolve(out);
    mkdirSync(directory, { recursive: true });
    const args = ['pack', ...places, '--json', '--ignore-scripts', '--pack-destination', directory];
    const packed = spawnSync('npm', args, { cwd: staging, encoding: 'utf8' });
    if (packed.status !== 0) throw new Error(`npm pack failed: ${packed.error?.message ?? packed.stderr}`);
    // An array, or an object with one member for each package, as the version of npm has it.
    return Object.values(JSON.parse(packed.stdout)).map(
      ({ name, version, filename, size, unpackedSize, entryCount }) => {
        return { name, version, file: join(directory, filename), size, unpackedSize, files: entryCount };
      },
    );
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Licence and README, from the first of the directories that has them. */
export function copyNotices(to, directories) {
  for (const name of ['LICENSE', 'README.md']) {
    const from = directories.map((directory) => join(directory, name)).find((path) => existsSync(path));
    if (from !== undefined) cpSync(from, join(to, name));
  }
}

export function writeFileIn(directory, path, text, options) {
  const to = join(directory, path);
  mkdirSync(join(to, '..'), { recursive: true });
  writeFileSync(to, text, options);
}
