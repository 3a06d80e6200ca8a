// The API pages of the libraries that are published, from their sources. Usage: node site/api.mjs OUT
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Application, OptionDefaults } from 'typedoc';
import { FOR_ROLLUPS } from '../scripts/packing/libraries.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [out] = process.argv.slice(2);
const shared = {
  tsconfig: join(root, 'site', 'tsconfig.json'),
  // The build checks types, with the compiler that this repository uses.
  skipErrorChecking: true,
  blockTags: [...OptionDefaults.blockTags, '@generated'],
  excludeInternal: true,
  excludePrivate: true,
  disableGit: true,
  disableSources: true,
  validation: { notExported: false, invalidLink: true, notDocumented: false },
  treatValidationWarningsAsErrors: true,
};

async function documented(options, write) {
  const app = await Application.bootstrapWithPlugins({ ...shared, ...options });
  const project = await app.convert();
  if (project === undefined || app.logger.hasErrors()) throw new Error(`${options.name}: not documented`);
  app.validate(project);
  await write(app, project);
  if (app.logger.hasErrors()) throw new Error(`${options.name}: not documented`);
}

const place = mkdtempSync(join(tmpdir(), 'switchyard-typedoc-'));
try {
  const parts = [];
  for (const name of FOR_ROLLUPS) {
    const directory = join(root, 'packages', name);
    const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
    const entryPoints = Object.entries(manifest.exports)
      .filter(([entry]) => !entry.includes('*') && entry !== './gen')
      .map(([, conditions]) => join(directory, conditions['switchyard-source']));
    const part = join(place, `${name}.json`);
    await documented({ name: manifest.name, entryPoints, readme: join(directory, 'README.md') }, (app, project) =>
      app.generateJson(project, part),
    );
    parts.push(part);
  }
  await documented(
    { name: 'Switchyard', entryPointStrategy: 'merge', entryPoints: parts, readme: 'none' },
    (app, project) => app.generateDocs(project, out),
  );
} finally {
  rmSync(place, { recursive: true, force: true });
}
