#!/usr/bin/env node
import { runProcess } from '@switchyard/service';
import { fields } from './config.ts';
import { runConductor } from './run.ts';

await runProcess({ name: 'conductor', fields, main: runConductor });
