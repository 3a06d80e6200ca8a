// Fetches the Node that unit tests run on alongside the oldest supported one, once, into a directory that `npm ci` does not touch in
// between. Prints its path.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unpackNode } from './packing/node.mjs';

const RELEASE = {
  version: '24.21.0',
  x64: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  arm64: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
};

export const { version } = RELEASE;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = process.env.SWITCHYARD_CACHE ?? join(root, '.cache');
const place = join(cache, `node-${version}-${process.arch}`);

/** The program; absent until this script has run. */
export const newerNode = join(place, 'node');

/** @throws when it cannot be had. */
function fetchNode() {
  if (existsSync(newerNode)) return;
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(`${place}.`);
  try {
    const unpacked = join(unpackNode(RELEASE, work), 'bin');
    chmodSync(join(unpacked, 'node'), 0o755);
    if (!existsSync(place)) renameSync(unpacked, place);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    fetchNode();
    console.log(newerNode);
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
