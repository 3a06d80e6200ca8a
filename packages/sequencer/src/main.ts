#!/usr/bin/env node
import { runProcess } from '@switchyard/service';
import { fields } from './config.ts';
import { runNode } from './node.ts';

await runProcess({ name: 'sequencer', fields, main: runNode });
