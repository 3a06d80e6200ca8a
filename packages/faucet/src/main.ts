#!/usr/bin/env node
import { runProcess } from '@switchyard/service';
import { fields } from './config.ts';
import { runFaucet } from './run.ts';

await runProcess({ name: 'faucet', fields, main: runFaucet });
