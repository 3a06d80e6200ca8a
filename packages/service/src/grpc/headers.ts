import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2';

/** Node's headers as the platform's, without the pseudo headers of HTTP/2. */
export function toHeaders(headers: IncomingHttpHeaders): Headers {
  const result = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(':') || value === undefined) continue;
    for (const each of Array.isArray(value) ? value : [value]) result.append(name, each);
  }
  return result;
}

/** And back, for sending. */
export function fromHeaders(headers: Headers): OutgoingHttpHeaders {
  return Object.fromEntries(headers);
}
