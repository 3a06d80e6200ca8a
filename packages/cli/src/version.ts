import { createRequire } from 'node:module';

/** Version of the whole product: all packages have the same. */
// Our own manifest.
export const { version: VERSION } = createRequire(import.meta.url)('../package.json') as { readonly version: string };
