import { join } from 'node:path';
import { defineConfig } from 'vite';
import { pageModules } from './page-modules.ts';

/** Static files for the documentation site, in `dist` of this directory. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  build: {
    outDir: join(import.meta.dirname, 'dist'),
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
  },
  resolve: { conditions: ['browser', 'module', 'import', 'default'] },
  // The network uses few of the names that modules of Node have.
  worker: {
    format: 'es',
    plugins: () => [pageModules],
    rolldownOptions: { shimMissingExports: true, checks: { shimmedExport: false } },
  },
});
