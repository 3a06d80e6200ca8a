#!/usr/bin/env node
import { runProcess } from '@switchyard/service';
import { da } from './process.ts';

await runProcess(da);
