// Packs directories as a container image, in the format of `docker save`, without an engine.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Names of Node's architectures in image configurations and Debian. */
export const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' };

/**
 * Equal content gives equal bytes: no times, no owners but root.
 *
 * @param {object} image
 * @param {string} image.name With its tag.
 * @param {readonly string[]} image.layers Directories, each with a part of the root; later ones lie over earlier ones.
 * @param {object} image.config Of the OCI image configuration: `Entrypoint`, `User`, `Env` and so on.
 * @param {string} image.out The file to write; it is replaced when it is whole.
 */
export async function packImage({ name, layers, config, out }) {
  mkdirSync(dirname(out), { recursive: true });
  const work = mkdtempSync(`${out}.`);
  try {
    const reproducible = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
    const files = layers.map((_, index) => `layer-${index}.tar`);
    const digests = [];
    for (const [index, layer] of layers.entries()) {
      const file = join(work, files[index]);
      tar(...reproducible, '-C', layer, '-cf', file, '.');
      digests.push(`sha256:${await sha256Of(file)}`);
    }
    const architecture = ARCHITECTURES[process.arch] ?? process.arch;
    const description = { architecture, os: 'linux', config, rootfs: { type: 'layers', diff_ids: digests } };
    writeFileSync(join(work, 'config.json'), JSON.stringify(description));
    const manifest = [{ Config: 'config.json', RepoTags: [name], Layers: files }];
    writeFileSync(join(work, 'manifest.json'), JSON.stringify(manifest));
    tar(...reproducible, '-C', work, '-cf', join(work, 'image.tar'), 'manifest.json', 'config.json', ...files);
    renameSync(join(work, 'image.tar'), out);
    return { file: out, digests };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function tar(...args) {
  const { status, error, stderr } = spawnSync('tar', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`tar failed: ${error?.message ?? stderr.trim()}`);
}

async function sha256Of(file) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
