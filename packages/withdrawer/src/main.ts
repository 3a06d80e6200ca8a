#!/usr/bin/env node
import { runProcess } from '@switchyard/service';
import { withdrawer } from './process.ts';

await runProcess(withdrawer);
