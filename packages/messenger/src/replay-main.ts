import { replayProgram } from '@switchyard/rollup/replay';
import { messenger } from './app.ts';
import { parseGenesis } from './genesis.ts';

void replayProgram((text, file) => messenger(parseGenesis(text, file)));
