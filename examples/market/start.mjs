import { develop } from '@switchyard/network/develop';

await develop({ project: import.meta.dirname, definition: 'dist/market.js' });
