#!/usr/bin/env node
import { runProcess } from '@switchyard/service';
import { composer } from './process.ts';

await runProcess(composer);
