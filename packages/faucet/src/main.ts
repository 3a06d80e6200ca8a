#!/usr/bin/env node
import { runProcess } from '@switchyard/service';
import { faucet } from './process.ts';

await runProcess(faucet);
