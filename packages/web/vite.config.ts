import { defineConfig } from 'vite';

/**
 * Static files that the processes serve: one directory per page, everything in it referred to relatively. The mode is
 * the name of the page.
 */
export default defineConfig(({ mode }) => ({
  root: `src/${mode}`,
  base: './',
  build: { outDir: `../../dist/${mode}`, emptyOutDir: true, target: 'es2023' },
  resolve: { conditions: ['browser', 'module', 'import', 'default'] },
}));
