import type { Connections } from './connections.ts';

/** The real nodes, by `@switchyard/client`, which is loaded when it is needed. */
export const connections: Connections = {
  async rollup(url) {
    const { connectRollup } = await import('./connect-rollup.ts');
    return connectRollup(url);
  },
  async sequencer(url) {
    const { connectSequencer } = await import('./connect-sequencer.ts');
    return connectSequencer(url);
  },
  async evm(url) {
    const { connectEvm } = await import('./connect-evm.ts');
    return connectEvm(url);
  },
  async withdrawer(url) {
    const { connectWithdrawer } = await import('./connect-withdrawer.ts');
    return connectWithdrawer(url);
  },
  async composer(url, secretFile) {
    const { connectComposer } = await import('./connect-composer.ts');
    return connectComposer(url, secretFile);
  },
};
