import type { Logger } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { HttpOptions } from './http.ts';
import { closeHttp, httpListener } from './http-listener.ts';
import { bind, type Running } from './listening.ts';

export interface MetricsOptions extends Pick<HttpOptions, 'listen' | 'name' | 'access' | 'links'> {
  readonly log?: Logger;
  /** Ends the wait for its port. */
  readonly signal?: AbortSignal;
}

/** Answers `GET /metrics` and nothing else. */
export async function serveMetrics(metrics: Metrics, options: MetricsOptions): Promise<Running> {
  const { server } = httpListener({
    ...options,
    maxHeaderBytes: 8_192,
    requestTimeoutMs: 5_000,
    maxConnections: 32,
    handle(request, response) {
      request.resume();
      if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') return response.writeHead(404).end();
      metrics.text().then(
        (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
        () => response.writeHead(500).end(),
      );
    },
  });
  const bound = await bind(server, options.listen, options.name, options);
  return { ...bound, close: () => closeHttp(server, 0) };
}
