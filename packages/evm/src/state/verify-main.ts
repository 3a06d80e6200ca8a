#!/usr/bin/env node
import { verifyStateFile } from './verify.ts';

/*
 * `switchyard verify` runs this for the state of an EVM database: `verify-main.js FILE sealed|unsealed`, one JSON value on
 * stdout.
 */

const [, , file = '', records] = process.argv;
const verified = verifyStateFile(file, { sealed: records === 'sealed' });
const report =
  typeof verified === 'string'
    ? { problem: verified }
    : verified && { ...verified, number: verified.number.toString() };
process.stdout.write(`${JSON.stringify(report ?? {})}\n`);
