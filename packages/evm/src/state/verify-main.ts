#!/usr/bin/env node
import { verifyStateFile } from './verify.ts';

/* `switchyard verify` runs this for the state of an EVM database: `verify-main.js FILE`, one JSON value on stdout. */

const [, , file = ''] = process.argv;
const verified = verifyStateFile(file);
const report =
  typeof verified === 'string'
    ? { problem: verified }
    : verified && { ...verified, number: verified.number.toString() };
process.stdout.write(`${JSON.stringify(report ?? {})}\n`);
