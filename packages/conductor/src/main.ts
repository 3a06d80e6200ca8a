#!/usr/bin/env node
import { runProcess } from '@switchyard/service';
import { conductor } from './process.ts';

await runProcess(conductor);
