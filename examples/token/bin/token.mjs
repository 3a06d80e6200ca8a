#!/usr/bin/env -S node --enable-source-maps
import { rollupProgram } from '@switchyard/rollup/node';
import { token } from '../dist/token.js';

await rollupProgram(token);
