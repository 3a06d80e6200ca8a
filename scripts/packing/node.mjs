// Node from npm, whose packages have the files of nodejs.org, checked by the hash of the package.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {{ readonly version: string, readonly x64: string, readonly arm64: string }} NodeRelease */

/**
 * Unpacks `bin/node` and `LICENSE` into `package` below a directory.
 *
 * @param {NodeRelease} release with the hash of its package for each architecture
 * @param {string} work
 * @returns {string} the directory `package`
 * @throws when there is none for this machine, npm cannot be reached, or the hash differs.
 */
export function unpackNode({ version, ...hashes }, work) {
  const integrity = hashes[process.arch];
  if (process.platform !== 'linux' || integrity === undefined)
    throw new Error(`no Node ${version} for ${process.platform} ${process.arch}: expected linux on x64 or arm64`);
  const name = `node-linux-${process.arch}@${version}`;
  const args = ['pack', name, '--json', '--ignore-scripts', '--pack-destination', work];
  const { status, error, stdout, stderr } = spawnSync('npm', args, { encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`npm pack of Node ${version} failed: ${error?.message ?? stderr.trim().split('\n').at(-1)}`);
  // An array, or an object with one member for each package, as the version of npm has it.
  const [packed] = Object.values(JSON.parse(stdout));
  const file = join(work, packed.filename);
  const got = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
  if (got !== integrity) throw new Error(`${packed.filename}: expected ${integrity}, got ${got}`);
  const extracted = spawnSync('tar', ['-C', work, '-xzf', file, 'package/bin/node', 'package/LICENSE'], {
    encoding: 'utf8',
  });
  if (extracted.status !== 0) throw new Error(`tar failed: ${extracted.error?.message ?? extracted.stderr.trim()}`);
  return join(work, 'package');
}
