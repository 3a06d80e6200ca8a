import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http2';
import type { Caller, Peer } from './caller.ts';
import type { SecretFile } from './secret-file.ts';
import type { TlsMaterial } from './tls.ts';

/**
 * Peers that may call without showing a credential.
 *
 * - `local`: peers on this machine.
 * - `secret`: no peers.
 * - `open`: all peers.
 */
export type PeerRule = 'local' | 'secret' | 'open';

export interface PeerRules {
  readonly rule: PeerRule;
  readonly secret: SecretFile | undefined;
  /** The settings, named if a peer is refused. */
  readonly settings: { readonly rule: string; readonly secret: string };
}

/** Rules for who may call a server, and over which transport. */
export interface GrpcAuth {
  readonly authenticator: Authenticator;
  /** With it the server speaks TLS; with `ca`, only to clients whose certificate one of these authorities signed. */
  readonly tls?: TlsMaterial | undefined;
}

/** Decision about a call, before anything of it is looked at. */
export type Admission =
  | { readonly kind: 'admitted'; readonly caller: Caller }
  | { readonly kind: 'refused'; readonly reason: string };

/** Set by a proxy between the caller and this process; then the peer's address is not the caller's. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via', 'x-envoy-external-address'];
/** Reports whether the service serves, and nothing else. Probes have no secrets. */
const PROBE = '/grpc.health.v1.Health/Check';

/** Decides who may call, from the connection and the headers of the call alone. */
export class Authenticator {
  readonly rules: PeerRules;

  constructor(rules: PeerRules) {
    this.rules = rules;
  }

  admit(peer: Peer, headers: IncomingHttpHeaders, path: string | undefined): Admission {
    const { rule, secret } = this.rules;
    const as = (credential?: string): Admission => {
      const { address, connection } = peer;
      return { kind: 'admitted', caller: { address, connection, credential } };
    };
    if (path === PROBE) return as();
    if (secret !== undefined && headers.authorization !== undefined) {
      // A wrong secret is refused even if none is needed: the two ends would keep different secrets unnoticed.
      return isSame(headers.authorization, `Bearer ${secret.reveal()}`) ? as('secret') : refused(this.#wrong());
    }
    if (peer.certificate !== undefined) return as(`certificate ${peer.certificate}`);
    if (rule === 'open' || (rule === 'local' && peer.isLocal && !isForwarded(headers))) return as();
    return refused(this.#missing(peer, headers));
  }

  #wrong(): string {
    return `the secret is wrong: both ends need the same one; this end has that of the file that ${this.rules.settings.secret} names`;
  }

  #missing({ isLocal }: Peer, headers: IncomingHttpHeaders): string {
    const { rule, secret, settings } = this.rules;
    const who =
      rule === 'secret'
        ? `${settings.rule}=secret asks every peer for a secret`
        : isLocal && isForwarded(headers)
          ? 'a call that a proxy passes on needs a secret'
          : 'a peer on another machine needs a secret';
    const how =
      secret === undefined
        ? `set ${settings.secret} on both ends`
        : 'this call shows none; set its file on the calling end';
    return `${who}: ${how}`;
  }
}

const refused = (reason: string): Admission => ({ kind: 'refused', reason });

function isForwarded(headers: IncomingHttpHeaders): boolean {
  return FORWARDED.some((name) => headers[name] !== undefined);
}

/** In constant time, regardless of the lengths and of the first difference. */
function isSame(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
