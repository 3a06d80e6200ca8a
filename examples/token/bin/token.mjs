#!/usr/bin/env -S node --enable-source-maps
import { rollupProgram } from '@switchyard/rollup';
import { token } from '../dist/token.js';

await rollupProgram(token);
