// Files of Debian packages, without installing them: the material of images without a registry.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Unpacks packages of the Debian release that runs here. Nothing of them is executed. What they are is written where scanners of
 * images look for it, `var/lib/dpkg/status.d`.
 *
 * @param {readonly string[]} names
 * @param {string} to An existing directory.
 * @throws when apt-get or dpkg-deb are not there, or a package cannot be had.
 */
export function unpackDebian(names, to) {
  const downloads = mkdtempSync(join(tmpdir(), 'switchyard-debian-'));
  const apt = (...args) => runIn(downloads, 'apt-get', ['-qq', '-o', 'APT::Sandbox::User=root', ...args]);
  try {
    try {
      apt('download', ...names);
    } catch {
      // Images of Debian come without the lists of packages.
      apt('update');
      apt('download', ...names);
    }
    const status = join(to, 'var', 'lib', 'dpkg', 'status.d');
    mkdirSync(status, { recursive: true });
    for (const file of readdirSync(downloads)) {
      runIn(downloads, 'dpkg-deb', ['--extract', file, to]);
      writeFileSync(join(status, file.split('_', 1)[0]), runIn(downloads, 'dpkg-deb', ['--field', file]));
    }
  } finally {
    rmSync(downloads, { recursive: true, force: true });
  }
}

/** @returns what it printed. @throws with the last line of what it reported. */
function runIn(cwd, command, args) {
  const { status, error, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status === 0) return stdout;
  const reason = error?.code === 'ENOENT' ? 'it is not installed; Debian is needed' : stderr?.trim().split('\n').at(-1);
  throw new Error(`${command} ${args.find((arg) => !arg.startsWith('-'))}: ${reason ?? `exit status ${status}`}`);
}
