/** What processes that read or post blobs test with: the suite that every layer passes, and the local layer in the same process. */
export { archiveStoreSuite, type StorePlace } from './archive/store.suite.ts';
export { type ChangingProxy, changingProxy } from './changing-proxy.testing.ts';
export { type DaNetwork, daSuite } from './layer.suite.ts';
export { type LocalLayer, signerOf, startLocalLayer } from './local.testing.ts';
