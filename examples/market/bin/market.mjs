#!/usr/bin/env -S node --enable-source-maps
import { rollupProgram } from '@switchyard/rollup/node';
import { market } from '../dist/market.js';

await rollupProgram(market);
