#!/usr/bin/env -S node --enable-source-maps
import { rollupProgram } from '@switchyard/rollup/node';
import { counter } from '../dist/counter.js';

await rollupProgram(counter);
