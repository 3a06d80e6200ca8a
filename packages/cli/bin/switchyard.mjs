#!/usr/bin/env node
import { enableCompileCache } from './compile-cache.mjs';

enableCompileCache();
const { main } = await import('../dist/programs/switchyard.js');
await main(process.argv);
