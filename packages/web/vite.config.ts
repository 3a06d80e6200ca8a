import { defineConfig } from 'vite';

/** Modules that all views of the explorer share are one file: several compress worse. */
const SHARED = {
  name: 'index',
  test: /explorer.(views|parts|story|charts|[a-z]+.tsx?)|web.src.ui|preact|client.dist.http|service.dist/,
};

/** Texts for people in contracts, which have spaces, names of records and examples are for the documents of APIs, not for a page. */
const withoutDescriptions = {
  name: 'without-descriptions',
  transform: (code: string, id: string) =>
    /packages.\w+.dist.(rollup-)?contract/.test(id)
      ? code
          .replaceAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, (text) => (text.includes(' ') ? "''" : text))
          .replaceAll(/(?<=schema\.record\()'\w+'/g, "''")
          .replaceAll(/examples: \[[^\]]*\],?/g, '')
      : undefined,
};

/** Calls that make parts of contracts: a part that a page does not use is left out of it. */
const CONTRACT_CALLS = [
  'contract',
  'schema',
  'hash',
  'bytes',
  'pageQuery',
  'column',
  'textByName',
  'get',
  'list',
  'items',
  'table',
];

/**
 * Static files that the processes serve: one directory per page, everything in it referred to relatively. The mode is
 * the name of the page.
 */
export default defineConfig(({ mode }) => ({
  root: `src/${mode}`,
  // The reference is served at /docs, beside the calls that it describes.
  base: mode === 'reference' ? '/docs/' : './',
  plugins: mode === 'explorer' || mode === 'chat' ? [withoutDescriptions] : [],
  // Browsers of that age preload modules by themselves.
  build: {
    ...(mode === 'chat' && { rolldownOptions: { treeshake: { manualPureFunctions: CONTRACT_CALLS } } }),
    ...(mode === 'explorer' && {
      rolldownOptions: {
        treeshake: { manualPureFunctions: CONTRACT_CALLS },
        output: { codeSplitting: { groups: [SHARED] } },
      },
    }),
    // The console of a rollup has its styles and icon, by these names.
    ...(mode === 'reference' && {
      cssCodeSplit: false,
      assetsInlineLimit: 0,
      rolldownOptions: { output: { assetFileNames: '[name][extname]' } },
    }),
    outDir: `../../dist/${mode}`,
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
  },
  resolve: { conditions: ['browser', 'module', 'import', 'default'] },
}));
