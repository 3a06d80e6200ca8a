#!/usr/bin/env -S node --enable-source-maps
import { join } from 'node:path';
import { rollupProgram } from '@switchyard/rollup/node';
import { orderbook } from '../dist/orderbook.js';

await rollupProgram(orderbook, { pages: join(import.meta.dirname, '..', 'page') });
