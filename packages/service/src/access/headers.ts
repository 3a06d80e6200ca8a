/**
 * On every answer over HTTP/1 and on everything that a browser may ask for. Answers are data: their content is not
 * to be sniffed, run, framed or leaked to other sites as a referrer.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/**
 * A page may talk to its own process and load its own files, and nothing else. Takes the place of the policy above.
 *
 * @param connectTo Origins of other services that its scripts may call.
 * @param options `hasForms`: it may send forms to its own process.
 */
export function pageHeaders(
  connectTo: readonly string[] = [],
  { hasForms = false }: { readonly hasForms?: boolean } = {},
): Readonly<Record<string, string>> {
  const form = hasForms ? "'self'" : "'none'";
  const connect = ["'self'", ...connectTo].join(' ');
  return {
    'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; connect-src ${connect}; img-src 'self' data:; manifest-src 'self'; base-uri 'none'; form-action ${form}; frame-ancestors 'none'`,
    'cross-origin-opener-policy': 'same-origin',
  };
}

/** Anything with the header functions of Node's answers, of HTTP/1 and of HTTP/2. */
interface Answer {
  setHeader(name: string, value: string): unknown;
}

export function setSecurityHeaders(answer: Answer): void {
  for (const name in SECURITY_HEADERS) answer.setHeader(name, SECURITY_HEADERS[name] ?? '');
}
