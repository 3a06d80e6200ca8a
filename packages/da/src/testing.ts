/** Test helpers of processes that read or post blobs: the suite for every layer, and an in-process local layer. */
export { archiveStoreSuite, type StorePlace } from './archive/store.suite.ts';
export { type ChangingProxy, changingProxy } from './changing-proxy.testing.ts';
export { type DaNetwork, daSuite } from './layer.suite.ts';
export { getSigner, type LocalLayer, startLocalLayer } from './local.testing.ts';
