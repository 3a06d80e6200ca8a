#!/usr/bin/env node
import { runProcess } from '@switchyard/service';
import { fields } from './config.ts';
import { runExplorer } from './run.ts';

await runProcess({ name: 'explorer', fields, main: runExplorer });
