#!/usr/bin/env node
import { enableCompileCache } from './compile-cache.mjs';

enableCompileCache();
const { main } = await import('../dist/programs/rollup-cli.js');
await main(process.argv);
