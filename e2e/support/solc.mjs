#!/usr/bin/env node
// The compiler of npm's package under the command line that forge calls: `--version`, and `--standard-json` on stdin.
import { readFileSync } from 'node:fs';
import solc from 'solc';

if (process.argv.includes('--standard-json')) process.stdout.write(solc.compile(readFileSync(0, 'utf8')));
else console.log(`solc, the solidity compiler commandline interface\nVersion: ${solc.version()}`);
