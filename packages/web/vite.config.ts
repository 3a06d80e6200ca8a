import { defineConfig } from 'vite';

/** Modules that all views of the explorer share are one file: several compress worse. */
const SHARED = {
  name: 'index',
  test: /explorer.(views|parts|story|charts|[a-z]+.tsx?)|web.src.ui|preact|client.dist.http|service.dist/,
};

/** Descriptions in contracts are for the documents of APIs: a page has no use for them. */
const withoutDescriptions = {
  name: 'without-descriptions',
  transform: (code: string, id: string) =>
    /packages.\w+.dist.contract/.test(id)
      ? code.replaceAll(/\b((?:schema|column)\.(?!record\b)\w+\()(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")/g, "$1''")
      : undefined,
};

/**
 * Static files that the processes serve: one directory per page, everything in it referred to relatively. The mode is
 * the name of the page.
 */
export default defineConfig(({ mode }) => ({
  root: `src/${mode}`,
  base: './',
  plugins: mode === 'explorer' ? [withoutDescriptions] : [],
  // Browsers of that age preload modules by themselves.
  build: {
    ...(mode === 'explorer' && { rolldownOptions: { output: { codeSplitting: { groups: [SHARED] } } } }),
    outDir: `../../dist/${mode}`,
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
  },
  resolve: { conditions: ['browser', 'module', 'import', 'default'] },
}));
