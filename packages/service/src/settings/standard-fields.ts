import { list, optional } from '../input/shapes.ts';
import { bool, integer } from '../input/values.ts';
import { logFilter } from '../telemetry/log-filter.ts';
import { field } from './config.ts';
import { hostName, listen, network, pageOrigin } from './parsers.ts';

export type StandardFields = ReturnType<typeof standardFields>;

/**
 * The settings that every process has, to be spread into its table.
 *
 * @param prefix Such as `SVC_COMPOSER_`, or nothing.
 * @param metricsListen Such as `127.0.0.1:9001`.
 */
export function standardFields(prefix: string, metricsListen: string) {
  return {
    log: field([`${prefix}LOG`, 'RUST_LOG'], logFilter, { help: 'log level, also by module', fallback: 'info' }),
    forceStdout: field(`${prefix}FORCE_STDOUT`, bool, {
      help: 'human-readable lines even if standard output is no terminal',
      fallback: 'false',
    }),
    prettyPrint: field(`${prefix}PRETTY_PRINT`, optional(bool), {
      help: 'human-readable lines (true) or JSON lines (false); if unset, by whether standard output is a terminal',
    }),
    noOtel: field(`${prefix}NO_OTEL`, bool, {
      help: 'read so that existing configurations work; traces are not exported either way',
      fallback: 'true',
    }),
    noMetrics: field(`${prefix}NO_METRICS`, bool, { help: 'do not serve metrics', fallback: 'false' }),
    metricsHttpListenerAddr: field(`${prefix}METRICS_HTTP_LISTENER_ADDR`, listen, {
      help: 'where GET /metrics answers',
      fallback: metricsListen,
    }),
    allowedHosts: field(`${prefix}ALLOWED_HOSTS`, list(hostName), {
      help: 'names, separated by commas, under which clients reach the listeners of this process, besides loopback names, IP addresses and the name of the machine: name, *.domain, or * for any, which lets web pages in whose name was pointed here (DNS rebinding)',
      fallback: '',
    }),
    allowedOrigins: field(`${prefix}ALLOWED_ORIGINS`, list(pageOrigin), {
      help: 'origins, separated by commas, of web pages that may call routes for operators and other processes, or change state; * for any',
      fallback: '',
    }),
    maxConnectionsPerAddress: field(`${prefix}MAX_CONNECTIONS_PER_ADDRESS`, integer({ min: 1, max: 65_536 }), {
      help: 'connections that one client address may have to one listener, loopback and proxies that are counted excepted',
      fallback: '256',
    }),
    proxyCount: field(`${prefix}PROXY_COUNT`, integer({ min: 0, max: 16 }), {
      help: 'proxies in front of the listeners of this process that add to X-Forwarded-For, so that clients are distinguished behind them',
      fallback: '0',
    }),
    trustedProxies: field(`${prefix}TRUSTED_PROXIES`, list(network), {
      help: 'addresses and networks (10.42.0.0/16) of these proxies, separated by commas: X-Forwarded-For of others is ignored; * where nothing but proxies can reach the listeners',
      fallback: '127.0.0.0/8,::1',
    }),
  };
}
