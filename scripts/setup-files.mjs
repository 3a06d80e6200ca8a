import { fileURLToPath } from 'node:url';

/** Files that every project of the tests loads for each test file, in this order. */
export const setupFiles = ['temporary/file.mjs', 'unhandled/setup.mjs'].map((file) =>
  fileURLToPath(new URL(file, import.meta.url)),
);

/** Files that run once, before and after all test files. */
export const globalSetup = [fileURLToPath(new URL('temporary/run.mjs', import.meta.url))];
