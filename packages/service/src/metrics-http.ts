import { createServer } from 'node:http';
import { bind, type Running } from './listening.ts';
import type { Metrics } from './metrics.ts';
import type { Listen } from './parsers.ts';

/** Answers `GET /metrics` and nothing else. */
export async function serveMetrics(metrics: Metrics, listen: Listen, setting: string): Promise<Running> {
  const server = createServer(
    { maxHeaderSize: 8_192, headersTimeout: 5_000, requestTimeout: 5_000 },
    (request, response) => {
      request.resume();
      if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') return response.writeHead(404).end();
      metrics.text().then(
        (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
        () => response.writeHead(500).end(),
      );
    },
  );
  server.maxConnections = 32;
  const bound = await bind(server, listen, setting);
  return {
    ...bound,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
