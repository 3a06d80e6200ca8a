#!/usr/bin/env node
import { constants, getPriority, setPriority } from 'node:os';
import { runProcess } from '@switchyard/service';
import { explorer } from './process.ts';

try {
  // The network that is indexed has the processors first. Threads of this process get the priority of the starting thread.
  setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
} catch {
  // A machine that forbids it runs the explorer like any other process.
}
await runProcess(explorer);
