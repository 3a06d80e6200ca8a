#!/usr/bin/env node
import { runProcess } from '@switchyard/service';
import { fields } from './config.ts';
import { runComposer } from './run.ts';

await runProcess({ name: 'composer', fields, main: runComposer });
