#!/usr/bin/env node
import { rollupProgram } from '@switchyard/rollup';
import { token } from '../dist/token.js';

await rollupProgram(token);
