import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';

/** Label names and values; few names, few values. */
export type Labels = Readonly<Record<string, string>>;

export interface MetricOptions {
  readonly labels?: readonly string[];
}

/** Makes metrics with names that start with the prefix, and prints them. The unit belongs in the name. */
export interface Metrics {
  /** Only grows. Names end in `_total`. */
  counter(name: string, help: string, options?: MetricOptions): { add(amount?: number, labels?: Labels): void };
  gauge(name: string, help: string, options?: MetricOptions): { set(value: number, labels?: Labels): void };
  /** `buckets` are upper bounds, ascending. The standard ones suit seconds. */
  histogram(
    name: string,
    help: string,
    options?: MetricOptions & { readonly buckets?: readonly number[] },
  ): { observe(value: number, labels?: Labels): void };
  /** Everything in the Prometheus text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * @param prefix Such as `switchyard_composer_`.
 * @param service If given, a label `service` on everything.
 * @param processMetrics Adds memory, CPU and event loop delay of the process.
 */
export function createMetrics(
  prefix: string,
  { service, processMetrics = false }: { service?: string; processMetrics?: boolean } = {},
): Metrics {
  const registry = new Registry();
  if (service !== undefined) registry.setDefaultLabels({ service });
  if (processMetrics) for (const metric of metricsOfProcess()) registry.registerMetric(metric);
  const common = (name: string, help: string, labels: readonly string[] = []) => ({
    name: prefix + name,
    help,
    labelNames: [...labels],
    registers: [registry],
  });
  return {
    counter(name, help, options) {
      const metric = new Counter(common(name, help, options?.labels));
      return { add: (amount = 1, labels = {}) => metric.inc(labels, amount) };
    },
    gauge(name, help, options) {
      const metric = new Gauge(common(name, help, options?.labels));
      return { set: (value, labels = {}) => metric.set(labels, value) };
    },
    histogram(name, help, options) {
      const metric = new Histogram({
        ...common(name, help, options?.labels),
        buckets: [...(options?.buckets ?? SECONDS)],
      });
      return { observe: (value, labels = {}) => metric.observe(labels, value) };
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

let ofProcess: readonly Metric[] | undefined;

/** Once for all parts of this process: the library starts observers for them that nothing stops. */
function metricsOfProcess(): readonly Metric[] {
  if (ofProcess === undefined) {
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    ofProcess = registry.getMetricsAsArray().flatMap(({ name }) => registry.getSingleMetric(name) ?? []);
  }
  return ofProcess;
}
