#!/usr/bin/env node
import { main } from '../dist/programs/switchyard.js';

await main(process.argv);
