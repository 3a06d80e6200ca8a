import { everyStore } from '../testing/every-store.suite.ts';
import { evmIndexSuite } from './index.suite.ts';

everyStore(evmIndexSuite);
