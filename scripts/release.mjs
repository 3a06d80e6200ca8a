// `npm run changeset` records how large a step the next version takes; `npm run release` makes that version: in all manifests, in the
// lockfile, in the example, and as a section of CHANGELOG.md. Neither commits nor publishes.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installTools, root, run } from './prepare.mjs';

const tools = join(root, 'scripts', 'changesets');
const cli = join(tools, 'node_modules', '@changesets', 'cli', 'bin.js');
const changesets = join(root, '.changeset');

const edit = (path, change) => {
  const file = join(root, path);
  const before = readFileSync(file, 'utf8');
  const after = change(before);
  if (after === before) throw new Error(`${path}: nothing to change, expected the present version`);
  writeFileSync(file, after);
};
const versionOf = (path) => JSON.parse(readFileSync(join(root, path), 'utf8')).version;

/** Text of the changelog with the unreleased part under a version, and an empty section above it. */
export function withRelease(text, version, day) {
  const [head, unreleased] = ['# Changelog\n\n', '## Unreleased\n'];
  if (!text.startsWith(`${head}${unreleased}`))
    throw new Error('CHANGELOG.md: expected "## Unreleased" as its first section');
  const rest = text.slice(head.length + unreleased.length);
  if (/^\s*(## |$)/.test(rest))
    throw new Error('CHANGELOG.md: nothing is under "Unreleased": describe the release first');
  return `${head}${unreleased}\n## ${version} - ${day}\n${rest}`;
}

function release() {
  if (readdirSync(changesets).every((name) => name === 'README.md' || !name.endsWith('.md'))) {
    throw new Error('no changesets: `npm run changeset` records how large the step is');
  }
  const before = versionOf('packages/protocol/package.json');
  // biome-ignore lint/plugin: the date of a release; nothing may be built yet that could be imported
  const day = new Date().toISOString().slice(0, 10);
  const dated = (text) => withRelease(text, versionOf('packages/protocol/package.json'), day);
  // Refuses before anything is changed.
  dated(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'));
  run('changeset version', process.execPath, [cli, 'version']);
  const version = versionOf('packages/protocol/package.json');
  const replaced = (text) => text.replaceAll(`"${before}"`, `"${version}"`);
  edit('CHANGELOG.md', dated);
  const templates = readdirSync(join(root, 'examples')).map((name) => `examples/${name}/package.json`);
  for (const path of ['package.json', ...templates]) edit(path, replaced);
  edit('packages/cli/src/dev/services/builtin.ts', (text) => text.replaceAll(`'v${before}'`, `'v${version}'`));
  run('npm install', 'npm', ['install', '--package-lock-only', '--no-audit', '--no-fund']);
  console.log(`${version}: read the diff, run the tests, commit, and tag the commit v${version}`);
}

if (process.argv[1] === import.meta.filename) {
  installTools(tools);
  try {
    if (process.argv[2] === 'add') run('changeset', process.execPath, [cli, 'add']);
    else release();
  } catch (error) {
    console.error(`no release made: ${error.message}`);
    process.exitCode = 1;
  }
}
