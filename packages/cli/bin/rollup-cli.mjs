#!/usr/bin/env node
import { main } from '../dist/programs/rollup-cli.js';

await main(process.argv);
