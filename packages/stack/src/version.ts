import { createRequire } from 'node:module';
import { Input } from '@switchyard/service/input';

/** Version of the whole product: all packages have the same. */
export const VERSION: string = new Input(createRequire(import.meta.url)('../package.json'), 'package.json')
  .at('version')
  .text();
