#!/usr/bin/env node
import { rollupProgram } from '@switchyard/rollup';
import { counter } from '../dist/counter.js';

await rollupProgram(counter);
