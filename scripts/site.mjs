// Makes the documentation site in dist/site: the pages of docs/ with what code describes, with search, and the API of the libraries
// that are published, and the playground. Fails on a link that leads nowhere. Usage: npm run site
import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defectsPage } from './defects.mjs';
import { llmsText } from './llms.mjs';
import { readManifest } from './packing/workspace.mjs';
import { installTools, prepare, root, run } from './prepare.mjs';
import { referencePages } from './reference.mjs';

const site = join(root, 'site');
prepare();
installTools(site);
rmSync(join(site, 'pages'), { recursive: true, force: true });
cpSync(join(root, 'docs'), join(site, 'pages'), { recursive: true });
cpSync(join(root, 'packages', 'web', 'src', 'ui', 'favicon.svg'), join(site, 'pages', 'public', 'icon.svg'));
for (const [name, text] of Object.entries(await referencePages()))
  appendFileSync(join(site, 'pages', 'reference', `${name}.md`), `\n${text}\n`);
appendFileSync(join(site, 'pages', 'measurements', 'defects-and-tests.md'), `\n${defectsPage(root)}\n`);
const node = (what, script, ...args) => run(what, process.execPath, [join(site, script), ...args], site);
node('the site', 'node_modules/vitepress/bin/vitepress.js', 'build');
const out = join(root, 'dist', 'site');
const hasTemplate = (name) =>
  /\{\{|\}\}/.test(readFileSync(join(out, name), 'utf8').replaceAll(/<(pre|code)\b.*?<\/\1>/gs, ''));
const pages = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
const raw = pages.filter(hasTemplate);
if (raw.length > 0) throw new Error(`pages with a template that was not filled in: ${raw.slice(0, 3).join(', ')}`);
writeFileSync(join(out, 'llms.txt'), llmsText(join(root, 'docs'), readManifest(root).description));
node('the API pages', 'api.mjs', join(out, 'api'));
run('the playground', 'npm', ['run', 'build', '-w', '@switchyard/playground'], root);
cpSync(join(root, 'playground', 'dist'), join(out, 'playground'), { recursive: true });
const look = join(root, 'e2e', 'dist', 'pages', 'site.js');
run('the look of the site', process.execPath, [look]);
console.log(`${out}: open index.html by way of any web server`);
