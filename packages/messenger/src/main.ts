import { runProcess } from '@switchyard/service';
import { messengerNode } from './process.ts';

void runProcess(messengerNode);
