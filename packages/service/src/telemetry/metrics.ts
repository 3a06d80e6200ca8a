import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

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
  /** A counter whose number is kept elsewhere. Names end in `_total`. */
  total(name: string, help: string, options?: MetricOptions): { set(value: number, labels?: Labels): void };
  /** `buckets` are upper bounds, ascending. The standard ones suit seconds. */
  histogram(
    name: string,
    help: string,
    options?: MetricOptions & { readonly buckets?: readonly number[] },
  ): { observe(value: number, labels?: Labels): void };
  /** @param update Sets metrics that are looked up, each time before they are printed. */
  beforeText(update: () => void): void;
  /** Everything in the Prometheus text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Long enough for a first value of the delay of the event loop. */
const FIRST_LOOK_MS = 50;

let processRegistry: Promise<Registry> | undefined;

/**
 * Metrics of the process, which its parts share. They begin with their first reader: the monitor of the event loop wakes the
 * process a hundred times a second, which is most of the work of an idle process.
 */
function metricsOfProcess(): Promise<Registry> {
  processRegistry ??= (async () => {
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    await new Promise((resolve) => setTimeout(resolve, FIRST_LOOK_MS));
    return registry;
  })();
  return processRegistry;
}

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
  const updates: (() => void)[] = [];
  if (service !== undefined) registry.setDefaultLabels({ service });
  const addProcess = async (): Promise<void> => {
    const shared = await metricsOfProcess();
    for (const { name } of shared.getMetricsAsArray()) {
      const metric = shared.getSingleMetric(name);
      if (metric !== undefined) registry.registerMetric(metric);
    }
  };
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
    total(name, help, options) {
      const metric = new Counter(common(name, help, options?.labels));
      const set = (value: number, labels: Labels = {}) => {
        metric.remove(labels);
        metric.inc(labels, value);
      };
      return { set };
    },
    histogram(name, help, options) {
      const metric = new Histogram({
        ...common(name, help, options?.labels),
        buckets: [...(options?.buckets ?? SECONDS)],
      });
      return { observe: (value, labels = {}) => metric.observe(labels, value) };
    },
    beforeText: (update) => void updates.push(update),
    async text() {
      if (processMetrics) await addProcess();
      for (const update of updates) update();
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}
