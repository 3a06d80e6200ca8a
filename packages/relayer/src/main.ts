#!/usr/bin/env node
import { runProcess } from '@switchyard/service';
import { relayer } from './process.ts';

await runProcess(relayer);
