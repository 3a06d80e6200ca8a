import { createHmac } from 'node:crypto';

/**
 * A JSON Web Token as celestia-node makes it, with which headers, shares and blobs are read. It does not expire.
 *
 * @param secret Key with which the light node checks tokens.
 */
export function lightReadToken(secret: Uint8Array): string {
  const claims = { Allow: ['public', 'read'], Nonce: '', ExpiresAt: '0001-01-01T00:00:00Z' };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}
