import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { daSuite } from '@switchyard/da/testing';
import { fromHex, sha256 } from '@switchyard/protocol';
import { createCelestiaSigner } from '@switchyard/protocol/celestia';
import { describe } from 'vitest';
import { celestiaFiles } from '../support/celestia.ts';
import { startCelestia } from '../support/celestia-devnet.ts';

/** Runs the suite that the local layer passes in `packages/da` against Celestia's own programs. */
describe.skipIf(celestiaFiles() === undefined)('data availability', () => {
  daSuite('Celestia', async () => {
    const devnet = await startCelestia();
    const directory = mkdtempSync(join(tmpdir(), 'switchyard-da-celestia-'));
    const tokenFile = join(directory, 'token');
    const { variables } = devnet;
    writeFileSync(tokenFile, variables.CELESTIA_LIGHT_READ_TOKEN ?? '', { mode: 0o600 });
    // Keys of the network are SHA-256 of a name; that of the light node pays for nothing else.
    const second = sha256(new TextEncoder().encode('celestia devnet light'));
    return {
      lightNodeUrl: variables.CELESTIA_LIGHT_RPC_URL ?? '',
      tokenFile,
      consensusNodeUrl: variables.CELESTIA_APP_GRPC_URL ?? '',
      signers: [fromHex(variables.CELESTIA_RELAYER_KEY ?? ''), second].map(createCelestiaSigner),
      async close() {
        await devnet.stop();
        rmSync(directory, { recursive: true, force: true });
      },
    };
  });
});
