import { defineConfig } from 'vite';

/**
 * Static files that the processes serve: one directory per page, everything in it referred to relatively. The mode is
 * the name of the page.
 */
export default defineConfig(({ mode }) => ({
  root: `src/${mode}`,
  base: './',
  // Browsers of that age preload modules by themselves.
  build: { outDir: `../../dist/${mode}`, emptyOutDir: true, target: 'es2023', modulePreload: { polyfill: false } },
  resolve: { conditions: ['browser', 'module', 'import', 'default'] },
}));
