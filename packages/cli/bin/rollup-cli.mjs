#!/usr/bin/env node
import { main } from '../dist/rollup-cli.js';

await main(process.argv);
