import { defineConfig } from 'vite';

/** Modules that all views of the explorer share are one file: several compress worse. */
const SHARED = {
  name: 'index',
  test: /explorer.(views|parts|story|charts|[a-z]+.tsx?)|web.src.ui|preact|client.dist.http|service.dist/,
};

/**
 * Static files that the processes serve: one directory per page, everything in it referred to relatively. The mode is
 * the name of the page.
 */
export default defineConfig(({ mode }) => ({
  root: `src/${mode}`,
  base: './',
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
