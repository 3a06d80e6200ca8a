import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { homepage, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const source = `${homepage.replace(/#.*$/, '')}/blob/main/`;

const page = (text, name) => ({ text, link: `/${name}` });

const decisions = readdirSync(join(root, 'docs', 'decisions'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => {
    const text = readFileSync(join(root, 'docs', 'decisions', name), 'utf8');
    return page(/^# (.+)$/m.exec(text)?.[1] ?? name, `decisions/${name.replace(/\.md$/, '')}`);
  });

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

export default defineConfig({
  title: 'Switchyard',
  description,
  // A copy of docs/, made by scripts/site.mjs: pages have to lie below the directory in which Vue is installed.
  srcDir: 'pages',
  outDir: join(root, 'dist', 'site'),
  cacheDir: join(root, '.cache', 'site'),
  cleanUrls: true,
  // Made by TypeDoc, after this build.
  ignoreDeadLinks: [/^\/api\//],
  markdown: { config: (md) => md.use(repositoryLinks), languageAlias: { console: 'shellsession' } },
  // Vue would take what is between two braces, or looks like a tag, for its own.
  vue: { template: { compilerOptions: { delimiters: ['{%never', 'never%}'] } } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [page('Guide', 'tutorial'), { text: 'API', link: '/api/', target: '_self' }],
    sidebar: [
      {
        text: 'Use',
        items: [
          page('Tutorial', 'tutorial'),
          page('Your own rollup', 'your-own-rollup'),
          page('EVM rollup', 'evm'),
          page('Deploying an EVM rollup', 'evm-rollup'),
          page('Data availability', 'data-availability'),
          page('HTTP API', 'api'),
          page('Faucet', 'faucet'),
          page('Explorer', 'explorer'),
          page('Terminal UI', 'terminal-ui'),
        ],
      },
      {
        text: 'Run',
        items: [
          page('Operations', 'operations'),
          page('Security', 'security'),
          page('Reliability', 'reliability'),
          page('Differences', 'differences'),
          page('EVM conformance', 'evm-conformance'),
        ],
      },
      {
        text: 'Change',
        items: [page('Architecture', 'architecture'), page('Extending', 'extending'), page('Style', 'style')],
      },
      { text: 'Decisions', collapsed: true, items: decisions },
    ],
  },
});
