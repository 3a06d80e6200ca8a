import { fileURLToPath } from 'node:url';

/** What every project of the tests takes. */
export const setupFiles = [fileURLToPath(new URL('setup.mjs', import.meta.url))];
