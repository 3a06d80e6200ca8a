import { createMemoryStore } from './memory.ts';
import { storeSuite } from './store.suite.ts';

storeSuite('memory', () => ({ open: createMemoryStore, durable: false }));
