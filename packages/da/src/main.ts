#!/usr/bin/env node
import { runProcess } from '@switchyard/service';
import { fields } from './config.ts';
import { runDa } from './run.ts';

await runProcess({ name: 'da', fields, main: runDa });
