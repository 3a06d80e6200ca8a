import { type BundleEntry, collectorClient, findRefusal } from '@switchyard/client';
import type { TxHash } from '@switchyard/protocol';
import { clientAuth, sleep } from '@switchyard/service';
import { Failure } from '@switchyard/service/failure';
import { askAgain } from './ask-again.ts';

const TIMEOUT_MS = 10_000;
const POLL_MS = 250;
/** For messages. */
const OPTIONS = {
  composerSecretFile: { names: ['--composer-secret-file'] },
  composerTlsCertFile: { names: [''] },
  composerTlsKeyFile: { names: [''] },
  composerTlsCaFile: { names: [''] },
} as const;
const NO_TLS = { composerTlsCertFile: undefined, composerTlsKeyFile: undefined, composerTlsCaFile: undefined };

/** A composer by its gRPC, in the words of the commands. */
export function connectComposer(url: string, secretFile?: string) {
  const credentials = clientAuth('composer', OPTIONS, { ...NO_TLS, composerSecretFile: secretFile });
  const client = collectorClient({ url, timeoutMs: TIMEOUT_MS, credentials });
  const ask = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await askAgain(call);
    } catch (error) {
      throw explained(error, url);
    }
  };
  const bundle = (id: TxHash) => ask(() => client.bundle(id));
  return {
    /**
     * Resolves when the entries are on its disk, with the id of the bundle. One whose acknowledgement got lost is recognised when it
     * is sent again.
     */
    submitBundle: (entries: readonly BundleEntry[]) => ask(() => client.submitBundle(entries, { skipKnown: true })),
    /** `undefined` for a bundle that it does not know. */
    bundle,
    /** The last that is known when the time is over. */
    async waitUntilSequenced(id: TxHash, ms: number) {
      const end = performance.now() + ms;
      for (;;) {
        const state = await bundle(id);
        if (state?.kind === 'sequenced' || state?.kind === 'refused' || performance.now() >= end) return state;
        await sleep(POLL_MS);
      }
    },
    close: () => client.close(),
  };
}

/** Refusals in the composer's words; an error of the connection stays unchanged. */
function explained(error: unknown, url: string): unknown {
  const refusal = findRefusal(error);
  if (refusal === undefined) return error;
  const lines = {
    refused: `the composer refused: ${refusal.reason}`,
    full: `the composer took nothing: ${refusal.reason}`,
    denied: `the composer at ${url} refused access: ${refusal.reason}: give --composer-secret-file`,
    absent: `the composer at ${url} has no atomic bundles: it is a different program`,
  };
  return new Failure(lines[refusal.kind], error);
}
