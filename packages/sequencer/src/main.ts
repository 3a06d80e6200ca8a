#!/usr/bin/env node
import { runProcess } from '@switchyard/service';
import { sequencer } from './process.ts';

await runProcess(sequencer);
