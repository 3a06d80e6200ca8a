import { runProcess } from '@switchyard/service';
import { evm } from './process.ts';

void runProcess(evm);
