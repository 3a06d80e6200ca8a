import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { homepage, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const source = `${homepage.replace(/#.*$/, '')}/blob/main/`;

const page = (text, name) => ({ text, link: `/${name}` });
const titleOf = (name) => {
  const [, title = name] = /^# (?:Tutorial: )?(.+)$/m.exec(readFileSync(join(root, 'docs', name), 'utf8')) ?? [];
  return title[0].toUpperCase() + title.slice(1);
};

/** The pages of a folder by their titles, those of `first` in this order before the others. */
function folder(text, name, first = [], collapsed = false) {
  const names = readdirSync(join(root, 'docs', name))
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.replace(/\.md$/, ''));
  const rest = names.filter((each) => !first.includes(each));
  const items = [...first, ...rest].map((each) => page(titleOf(`${name}/${each}.md`), `${name}/${each}`));
  return { text, collapsed, items };
}

/** Links that leave `docs/` lead to the repository; the check of links would else call them dead. */
function repositoryLinks(md) {
  const render =
    md.renderer.rules.link_open ?? ((tokens, index, options, _, self) => self.renderToken(tokens, index, options));
  md.renderer.rules.link_open = (tokens, index, options, env, self) => {
    const href = tokens[index].attrGet('href') ?? '';
    const from = env.relativePath?.includes('/') ? '../../' : '../';
    if (href.startsWith(from)) tokens[index].attrSet('href', source + href.slice(from.length));
    return render(tokens, index, options, env, self);
  };
}

/** Braces of a page's text, which Vue would evaluate; those of code it leaves alone. */
function literalBraces(md) {
  const { text } = md.renderer.rules;
  md.renderer.rules.text = (...given) => text(...given).replaceAll('{{', '&#123;&#123;');
}

export default defineConfig({
  title: 'Switchyard',
  description,
  // A copy of docs/, made by scripts/site.mjs: pages have to lie below the directory in which Vue is installed.
  srcDir: 'pages',
  outDir: join(root, 'dist', 'site'),
  cacheDir: join(root, '.cache', 'site'),
  cleanUrls: true,
  head: [
    ['link', { rel: 'icon', href: '/icon.svg' }],
    // The theme's colour for the languages of code is too faint.
    ['style', {}, 'html:root { --vp-code-lang-color: var(--vp-c-text-2) }'],
  ],
  // Made by TypeDoc, after this build.
  ignoreDeadLinks: [/^\/api\//],
  markdown: {
    config: (md) => md.use(repositoryLinks).use(literalBraces),
    languageAlias: { console: 'shellsession' },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [page('Guide', 'tutorials/first-message'), { text: 'API', link: '/api/', target: '_self' }],
    sidebar: [
      folder('Tutorials', 'tutorials', ['first-message', 'evm-rollup', 'your-own-rollup', 'deployment']),
      folder('How to', 'how-to', ['install', 'run-a-network', 'configure']),
      folder('Reference', 'reference', ['commands', 'settings']),
      page('Architecture', 'architecture'),
      folder('Explanation', 'explanation', ['guarantees', 'security']),
      page('Style', 'style'),
      folder('Decisions', 'decisions', [], true),
      folder('Measurements', 'measurements', ['index'], true),
    ],
  },
});
