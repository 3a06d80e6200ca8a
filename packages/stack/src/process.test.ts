import { expect, test } from 'vitest';
import { settingsFor } from './process.ts';
import { composer } from './processes/composer.ts';

test('an environment compiles only if it states each setting that follows from another process, if only without a value', () => {
  const urls = { sequencerAbciEndpoint: 'http://a', sequencerGrpcEndpoint: 'http://b' };
  const some = { ...urls, sequencerChainId: 'chain', feeAsset: 'nria' };
  // @ts-expect-error: the secret file is missing
  expect(settingsFor(composer, some)).toHaveLength(4);
  expect(settingsFor(composer, { ...some, grpcSecretFile: undefined })).toHaveLength(5);
});
