import { defineConfig } from 'vite';

/** Static files that the processes serve: one directory per page, everything in it referred to relatively. */
export default defineConfig({
  root: 'src/chat',
  base: './',
  build: { outDir: '../../dist/chat', emptyOutDir: true, target: 'es2023' },
  resolve: { conditions: ['browser', 'module', 'import', 'default'] },
});
