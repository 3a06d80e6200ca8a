import type { ReactNode } from 'react';
import { Command } from '../ui/copy.tsx';
import { WalletNetwork } from '../wallet-network.tsx';
import { explorerOf } from '../wallets.ts';
import type { Network } from './api.ts';
import { findExplorer } from './words.ts';

/** Things to do next, for each reader one; only things that this network has the parts for. */
export function NextSteps({ network }: { readonly network: Network }) {
  const { evm, links, steps } = network;
  const commandsFor = (kind: string) => steps.find((step) => step.kind === kind)?.commands ?? [];
  const chat = links.find(({ kind, url }) => kind === 'chat' && url !== '')?.url;
  const faucet = links.find(({ service, url }) => service === 'faucet' && url !== '')?.url;
  const explorer = findExplorer(network);
  const [create = '', ...more] = commandsFor('build');
  return (
    <section aria-labelledby="next">
      <h2 id="next">What to do next</h2>
      <ul className="steps">
        {chat !== undefined && (
          <Step title="Write a message" commands={commandsFor('messenger')}>
            <p>The chat page makes a key in the browser and takes test coins for it with one click.</p>
            <p>
              <a className="action" href={chat}>
                Open the chat
              </a>
            </p>
          </Step>
        )}
        {evm !== undefined && (
          <Step title="Connect a wallet" commands={commandsFor('evm')}>
            <p>
              Every Ethereum wallet and tool works with {evm.name}.
              {faucet !== undefined && (
                <>
                  {' '}
                  <a href={faucet}>The faucet</a> has {evm.symbol} for tests.
                </>
              )}
            </p>
            <WalletNetwork {...evm} explorerUrl={explorer && explorerOf(explorer, evm.name)} />
          </Step>
        )}
        {commandsFor('sequencer').length > 0 && (
          <Step title="Ask the sequencer" label="By the command line" commands={commandsFor('sequencer')}>
            <p>No rollup runs here yet: the sequencer answers, and a rollup can be added.</p>
          </Step>
        )}
        {create !== '' && (
          <Step title="Build a rollup" label="Then start it" commands={more}>
            <p>A project in TypeScript with tests, commands and an HTTP API, which runs in a network of its own.</p>
            <Command text={create} />
          </Step>
        )}
        {commandsFor('deploy').length > 0 && (
          <Step title="Deploy an EVM rollup" label="Both commands" commands={commandsFor('deploy')}>
            <p>A manifest describes the rollup; one command installs it on this sequencer and waits until it works.</p>
          </Step>
        )}
      </ul>
    </section>
  );
}

interface StepProps {
  readonly title: string;
  /** Folded away: some have public development keys in them, and all are long. */
  readonly commands: readonly string[];
  readonly label?: string;
  readonly children: ReactNode;
}

function Step({ title, commands, label = 'Or by the command line', children }: StepProps) {
  return (
    <li className="card">
      <h3>{title}</h3>
      {children}
      {commands.length > 0 && (
        <details>
          <summary>{label}</summary>
          {commands.map((command) => (
            <Command key={command} text={command} />
          ))}
        </details>
      )}
    </li>
  );
}
