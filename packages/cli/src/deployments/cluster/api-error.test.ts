import { expect, test } from 'vitest';
import { toFailure } from './api-error.ts';

const call = { what: 'apply Secret cosmic-composer-key', context: 'kind', server: 'https://10.0.0.1:6443' };
const answer = (code: number, message: string) =>
  Object.assign(new Error(`HTTP-Code: ${code}`), { code, body: JSON.stringify({ kind: 'Status', message }) });
const failure = (code: string) => Object.assign(new Error('request failed, reason: x'), { code });

test.each([
  [
    failure('ECONNREFUSED'),
    /^the cluster of context kind \(https:\/\/10\.0\.0\.1:6443\) cannot be reached: nothing listens there/,
  ],
  [failure('CERT_HAS_EXPIRED'), /cannot be reached: its certificate has expired$/],
  [failure('DEPTH_ZERO_SELF_SIGNED_CERT'), /its certificate is not of the authority in the kubeconfig$/],
  [Object.assign(new Error('aborted'), { name: 'AbortError' }), /cannot be reached: no answer in time$/],
  [
    answer(401, 'Unauthorized'),
    /^the cluster of context kind .* does not accept the credentials of the kubeconfig: they may have expired/,
  ],
  [
    answer(403, 'secrets is forbidden: User "x" cannot patch'),
    /does not allow to apply Secret cosmic-composer-key: secrets is forbidden: User "x" cannot patch$/,
  ],
  [
    answer(403, 'admission webhook "w" denied the request: no'),
    /^apply Secret cosmic-composer-key: the cluster answers 403: admission webhook "w" denied the request: no$/,
  ],
  [
    answer(409, 'Apply failed with 1 conflict: conflict with "kubectl": .spec.replicas'),
    /others have changed it: Apply failed with 1 conflict: .*\.spec\.replicas: take their changes back with --force$/,
  ],
  [
    answer(422, 'StatefulSet is invalid: spec: Forbidden'),
    /^apply .*: the cluster finds it invalid: StatefulSet is invalid/,
  ],
  [answer(500, 'a\n\u001b[31mb'), /answers 500: a \\u\{1b\}\[31mb$/],
])('is one line: %s', (error, line) => {
  expect(toFailure(error, call).message).toMatch(line);
  expect(toFailure(error, call).message).not.toContain('\n');
});
