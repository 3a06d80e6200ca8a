import { engineSuite } from '../engine.suite.ts';
import { CHAIN, createFixture, signer } from './testing.ts';

engineSuite('the solo engine', () => {
  const fixture = createFixture();
  return {
    chainId: CHAIN,
    validator: { publicKey: signer.publicKey, power: 10n },
    async start(app) {
      await fixture.start({}, app);
      return {
        feed: fixture.engine,
        async submit(tx) {
          const response = await fetch(`${fixture.url}/broadcast_tx_sync?tx=0x${Buffer.from(tx).toString('hex')}`);
          if (!response.ok) throw new Error(await response.text());
        },
        stop: () => fixture.stop(),
        ended: async () => void (await fixture.ended()),
      };
    },
    dispose: () => fixture.dispose(),
  };
});
