#!/usr/bin/env node
import { main } from '../dist/switchyard.js';

await main(process.argv);
