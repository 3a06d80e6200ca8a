#!/usr/bin/env node
import { runProcess } from '@switchyard/service';
import { fields } from './config.ts';
import { runRelayer } from './run.ts';

await runProcess({ name: 'relayer', fields, main: runRelayer });
