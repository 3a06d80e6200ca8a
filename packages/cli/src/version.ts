import { createRequire } from 'node:module';

/** Version of the whole product: all packages have the same. */
export const VERSION: string = readVersion();

function readVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)('../package.json');
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : '';
  return String(version);
}
