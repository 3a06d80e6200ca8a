import type { IncomingHttpHeaders } from 'node:http';
import { hostname } from 'node:os';
import { type AllowedHosts, allowedHosts } from './hosts.ts';

/**
 * Requests that a listener accepts from web pages of other origins.
 *
 * - `nothing`: for operators and for other processes. Every request that a foreign page makes is refused.
 * - `read`: a foreign page may load public data, but not send anything that changes state.
 * - `everything`: every request is safe to take from anywhere, such as signed transactions. Whether a page may read
 *   the answers still depends on `origins`.
 *
 * Regardless of this and of `origins`, a request other than GET and HEAD is taken from a foreign page only at `publicPosts`, or
 * if the page is one of `trustedOrigins`: it may sign, pay or change something.
 */
export type ForeignPages = 'nothing' | 'read' | 'everything';

/** Rules for who may call a listener, by the origin and the host that a request states. */
export interface Access {
  /** Names that requests may be addressed to besides the standard ones; `*.domain` covers a domain, `*` every name. */
  readonly hosts: readonly string[];
  /** Origins whose pages may send requests and read the answers; `*` is any. */
  readonly origins: readonly string[];
  readonly foreignPages: ForeignPages;
  /** Origins whose pages may send requests that sign or change something; `*` is any. */
  readonly trustedOrigins: readonly string[];
  /** Paths at which every client may send something, since that is signed by its sender or changes nothing; `*` is any. */
  readonly publicPosts: readonly string[];
  /** Connections of one client address to one listener. Loopback addresses, which many programs share, are exempt. */
  readonly maxConnectionsPerAddress: number;
  /** Proxies in front, all of them our own, that add to `X-Forwarded-For`; clients are distinguished by the added addresses. */
  readonly proxyCount: number;
  /** Their addresses and networks; `*` is any, for a listener that nothing else can reach. */
  readonly trustedProxies: readonly string[];
  /** The variables that hold `hosts`, `origins` and `trustedOrigins`, named in refusals. */
  readonly settings: { readonly hosts: string; readonly origins: string; readonly trusted: string };
}

/** For listeners that were given nothing else: loopback names and IP addresses, and no pages of other origins. */
export const CLOSED: Access = {
  hosts: [],
  origins: [],
  foreignPages: 'nothing',
  trustedOrigins: [],
  publicPosts: [],
  maxConnectionsPerAddress: 256,
  proxyCount: 0,
  trustedProxies: [],
  settings: { hosts: 'ALLOWED_HOSTS', origins: 'ALLOWED_ORIGINS', trusted: 'ALLOWED_ORIGINS' },
};

/** Standard settings of a process that concern its listeners. */
export interface AccessSettings {
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly maxConnectionsPerAddress: number;
  readonly proxyCount?: number;
  readonly trustedProxies?: readonly string[];
}

/** Access for operators and other processes: no page but those of the origins that were listed. */
export function operatorAccess(config: AccessSettings, prefix: string): Access {
  const { allowedHosts: hosts, allowedOrigins: origins, maxConnectionsPerAddress } = config;
  const { proxyCount = 0, trustedProxies = [] } = config;
  const trusted = `${prefix}ALLOWED_ORIGINS`;
  const settings = { hosts: `${prefix}ALLOWED_HOSTS`, origins: trusted, trusted };
  return {
    ...{ ...CLOSED, hosts, origins, trustedOrigins: origins, settings },
    ...{ maxConnectionsPerAddress, proxyCount, trustedProxies },
  };
}

/** Access for an API that web pages use: pages of `origins` may do everything public, others only the requests of `foreignPages`. */
export function pageAccess(
  operator: Access,
  pages: Pick<Access, 'origins'> & Partial<Pick<Access, 'foreignPages' | 'publicPosts'>> & { readonly setting: string },
): Access {
  const { origins, setting, foreignPages = 'read', publicPosts = [] } = pages;
  return { ...operator, origins, foreignPages, publicPosts, settings: { ...operator.settings, origins: setting } };
}

/** Source and target of a request, by its headers. */
export type Provenance = ReturnType<typeof toProvenance>;

/** @param url Path and query. */
export function toProvenance(headers: IncomingHttpHeaders, method = '', url = '') {
  // The library's type has no HTTP/2 names; an absent one is undefined all the same.
  const authority = (headers as { readonly ':authority'?: string })[':authority'];
  return {
    method,
    path: url.split('?', 1)[0] ?? '',
    // `Host`, or `:authority` of HTTP/2.
    host: authority ?? headers.host,
    origin: headers.origin,
    forwardedHost: toText(headers['x-forwarded-host']),
    fetchSite: toText(headers['sec-fetch-site']),
    fetchMode: toText(headers['sec-fetch-mode']),
    // It asks for a WebSocket, which can both read and send.
    upgrade: false as boolean,
  };
}

function toText(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.[0];
}

export interface Refusal {
  readonly code: 'host-not-allowed' | 'origin-not-allowed';
  readonly message: string;
}

export interface Gate {
  /** Why a request is refused, if it is. */
  refusal(provenance: Provenance): Refusal | undefined;
  /** Value of `access-control-allow-origin` for this origin; undefined if its pages may not read answers. */
  readableBy(origin: string): string | undefined;
}

/**
 * Decides by headers who may call a listener that is bound to `boundHost`.
 *
 * The check of the host keeps out pages whose own name was made to point here (DNS rebinding): to the browser such a page
 * and this listener are one origin, so that nothing else in the request gives it away.
 */
export function createGate(access: Access, boundHost: string, machine: string = hostname()): Gate {
  const { origins, foreignPages, publicPosts, settings } = access;
  const hosts = allowedHosts(access.hosts, boundHost, machine);
  const anyOrigin = origins.includes('*');
  const listed = new Set(origins.map(normalOrigin));
  const trusted = new Set(access.trustedOrigins.map(normalOrigin));
  return {
    refusal(request) {
      const { host } = request;
      if (host !== undefined && !hosts.includes(host)) return hostRefusal(host, settings.hosts);
      if (request.origin === undefined && request.fetchSite === undefined) return undefined;
      if (trusted.has('*') || !isForeign(request, hosts)) return undefined;
      const page = request.origin === undefined ? '' : normalOrigin(request.origin);
      if (trusted.has(page)) return undefined;
      const isPublic = publicPosts.includes(request.path) || publicPosts.includes('*');
      if (!isPublic && !READING.has(request.method)) return originRefusal(request.origin, settings.trusted);
      if (anyOrigin || listed.has(page)) return undefined;
      return mayForeign(request, foreignPages) ? undefined : originRefusal(request.origin, settings.origins);
    },
    readableBy(origin) {
      if (anyOrigin) return '*';
      return listed.has(normalOrigin(origin)) ? origin : undefined;
    },
  };
}

/** A preflight changes nothing, and the request after it is checked again. */
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Origin of the page that makes a request: `null` if the browser keeps it to itself; undefined for other programs. */
export function findPage({ origin, fetchSite }: Pick<Provenance, 'origin' | 'fetchSite'>): string | undefined {
  return origin ?? (fetchSite === 'cross-site' || fetchSite === 'same-site' ? 'null' : undefined);
}

/** Whether a page makes this request that did not come from this listener. */
function isForeign({ host, origin, forwardedHost, fetchSite }: Provenance, hosts: AllowedHosts): boolean {
  if (origin === undefined) return fetchSite === 'cross-site' || fetchSite === 'same-site';
  if (!URL.canParse(origin)) return true;
  const { host: from, protocol } = new URL(origin);
  const is = (name: string | undefined): boolean =>
    name !== undefined && hosts.includes(name) && withoutDefaultPort(name, protocol) === from;
  // A proxy in front may have put the name that readers use elsewhere; a page cannot.
  return !is(host) && !is(forwardedHost);
}

function mayForeign({ method, fetchMode, upgrade }: Provenance, foreignPages: ForeignPages): boolean {
  if (foreignPages === 'everything') return true;
  const reads = (method === 'GET' || method === 'HEAD') && !upgrade;
  // A link to an address of this listener shows the answer to the reader, not to the page with the link.
  return reads && (foreignPages === 'read' || fetchMode === 'navigate');
}

function hostRefusal(host: string, setting: string): Refusal {
  const message = `host ${JSON.stringify(host.slice(0, 100))} is not a name of this service; expected a loopback name, an IP address or a name listed in ${setting}; add it there if clients use it`;
  return { code: 'host-not-allowed', message };
}

function originRefusal(origin: string | undefined, setting: string): Refusal {
  const from = origin === undefined ? 'another site' : JSON.stringify(origin.slice(0, 100));
  const message = `a web page of ${from} may not do this; expected no page, or one of an origin listed in ${setting}`;
  return { code: 'origin-not-allowed', message };
}

function normalOrigin(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).origin : origin;
}

function withoutDefaultPort(host: string, protocol: string): string {
  return URL.canParse(`${protocol}//${host}`) ? new URL(`${protocol}//${host}`).host : host;
}
