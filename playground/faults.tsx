import type { Running } from './use-network.ts';

const KINDS = ['cut', 'delay', 'heal'] as const;

/** Buttons that break links between parts, and end and start parts. */
export function Faults({ rollup, network }: { readonly rollup: string; readonly network: Running }) {
  const { parts, shown, send } = network;
  const conductor = `${rollup}-conductor`;
  const links = [
    [rollup, 'composer'],
    ['composer', 'sequencer'],
    ['sequencer', conductor],
    [conductor, rollup],
  ] as const;
  return (
    <section className="card faults" aria-labelledby="faults">
      <h2 id="faults">Faults</h2>
      {parts.length > 0 &&
        links.map((link) => (
          <p key={link.join()}>
            <span>{link.join(' – ')}</span>
            {KINDS.map((kind) => (
              <button key={kind} type="button" className="small plain" onClick={() => send({ kind, link })}>
                {kind}
              </button>
            ))}
          </p>
        ))}
      {parts.map((part) => {
        const kind = shown?.parts[part] === false ? 'start' : 'kill';
        return (
          <p key={part}>
            <span>{part}</span>
            <button type="button" className="small plain" onClick={() => send({ kind, part })}>
              {kind}
            </button>
          </p>
        );
      })}
      <details>
        <summary>Logs</summary>
        <pre>{shown?.lines.join('\n')}</pre>
      </details>
    </section>
  );
}
