// Lists what the product is made of besides our own code, from package-lock.json: the packages that are installed where
// it runs, and their licences; writes both as documents. Usage: npm run sbom [-- --out DIR]
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Licences that a library of the product may have: permissive, or reciprocal for its own files only (MPL). */
export const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Python-2.0',
  'MPL-2.0',
  'Unlicense',
]);

/** Licences of packages that state them in the old form of npm, a list, which lock files leave out. */
const LISTED = { 'memorystream@0.3.1': 'MIT' };

export const readLock = () => JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

/** Whether an SPDX expression can be met: one side of an OR, all of an AND. */
export function isAllowed(expression) {
  if (typeof expression !== 'string') return false;
  const text = expression.replace(/^\((.*)\)$/, '$1');
  if (text.includes('(')) return false;
  return text.split(' OR ').some((choice) => choice.split(' AND ').every((one) => ALLOWED.has(one.trim())));
}

/** Third-party packages that are installed with the product, by place in the tree; optional ones of other systems too. */
export function productionPackages(lock) {
  return Object.entries(lock.packages)
    .filter(([path, entry]) => path.includes('node_modules/') && !entry.link && !entry.dev && !entry.devOptional)
    .map(([path, entry]) => ({ path, name: entry.name ?? nameAt(path), ...entry }))
    .map((each) => ({ ...each, license: each.license ?? LISTED[`${each.name}@${each.version}`] }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

const nameAt = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
const purlOf = ({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** CycloneDX 1.5. The same lock gives the same bytes: no time of day, no serial number. */
export function sbomOf(lock) {
  const packages = productionPackages(lock);
  const byPath = new Map(packages.map((each) => [each.path, each]));
  const refOf = ({ path }) => path;
  const components = packages.map((each) => ({
    type: 'library',
    'bom-ref': refOf(each),
    name: each.name,
    version: each.version,
    purl: purlOf(each),
    scope: each.optional ? 'optional' : 'required',
    licenses: licencesOf(each.license),
    ...(each.integrity && { hashes: hashesOf(each.integrity) }),
  }));
  const ours = ourPackages(lock);
  const direct = new Set(
    ours.flatMap(({ path, dependencies }) => namesOf({ dependencies }).map((name) => placeOf(path, name, byPath))),
  );
  const { name, version, license } = lock.packages[''];
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': name, name, version, licenses: licencesOf(license) } },
    components,
    dependencies: [
      { ref: name, dependsOn: [...direct].filter((path) => path !== undefined).sort() },
      ...packages.map((each) => ({
        ref: refOf(each),
        dependsOn: namesOf(each)
          .map((needed) => placeOf(each.path, needed, byPath))
          .filter((path) => path !== undefined)
          .sort(),
      })),
    ],
  };
}

/** Our own packages that are part of the product. */
function ourPackages(lock) {
  return Object.entries(lock.packages)
    .filter(([path]) => path.startsWith('packages/') && !path.includes('node_modules/'))
    .map(([path, { dependencies = {} }]) => ({ path, dependencies }));
}

const namesOf = ({ dependencies = {}, optionalDependencies = {} }) =>
  Object.keys({ ...dependencies, ...optionalDependencies });

/** Path at which Node finds a package from a place in the tree. */
function placeOf(from, name, byPath) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const path = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (byPath.has(path)) return path;
    if (at === '') return undefined;
    if (!at.includes('/node_modules/')) {
      const top = `node_modules/${name}`;
      return byPath.has(top) ? top : undefined;
    }
  }
}

const licencesOf = (license) => {
  if (license === undefined) return [];
  return /[ ()]/.test(license) ? [{ expression: license }] : [{ license: { id: license } }];
};

function hashesOf(integrity) {
  return integrity.split(' ').map((each) => {
    const [algorithm, digest] = [each.slice(0, each.indexOf('-')), each.slice(each.indexOf('-') + 1)];
    return { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') };
  });
}

/** Names, licences and their texts. Packages for other systems are not installed here: they are named without a text. */
export function noticesOf(lock) {
  const sections = productionPackages(lock).map(({ path, name, version, license }) => {
    const text = licenceText(join(root, path));
    return `## ${name} ${version}\n\nLicence: ${license}\n${text === undefined ? '' : `\n\`\`\`\n${text}\n\`\`\`\n`}`;
  });
  const unique = [...new Set(sections)];
  return `# Third-party software\n\nLibraries that Switchyard is installed with, or that its pages contain.\n\n${unique.join('\n')}`;
}

function licenceText(directory) {
  if (!existsSync(directory)) return undefined;
  const files = readdirSync(directory)
    .filter((name) => /^(licen[cs]e|copying|notice)/i.test(name))
    .sort();
  const texts = files.map((name) => readFileSync(join(directory, name), 'utf8').trim().replaceAll('```', "'''"));
  return texts.length === 0 ? undefined : texts.join('\n\n');
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { out: { type: 'string', default: join(root, 'dist') } } });
  const lock = readLock();
  const sbom = sbomOf(lock);
  mkdirSync(values.out, { recursive: true });
  writeFileSync(join(values.out, 'sbom.cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`);
  writeFileSync(join(values.out, 'THIRD_PARTY.md'), noticesOf(lock));
  console.log(`${values.out}: sbom.cdx.json and THIRD_PARTY.md, ${sbom.components.length} packages`);
}
