import { defineOf, replayProgram } from '@switchyard/rollup/replay';
import { messenger } from './messenger.ts';

void replayProgram(defineOf({ messenger }));
