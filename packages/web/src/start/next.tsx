import type { ReactNode } from 'react';
import { Command } from '../ui/copy.tsx';
import { WalletNetwork } from '../wallet-network.tsx';
import { explorerOf } from '../wallets.ts';
import type { Network } from './api.ts';

/** Things to do next, for each reader one; only things that this network has the parts for. */
export function NextSteps({ network }: { readonly network: Network }) {
  const { evm, links, steps } = network;
  const commandsFor = (kind: string) => steps.find((step) => step.kind === kind)?.commands ?? [];
  const chat = links.find(({ kind, url }) => kind === 'chat' && url !== '')?.url;
  const faucet = links.find(({ service, url }) => service === 'faucet' && url !== '')?.url;
  const explorer = links.find(({ kind, url }) => kind === 'explorer' && url !== '')?.url;
  const [create = '', ...more] = commandsFor('build');
  return (
    <section aria-labelledby="next">
      <h2 id="next">What to do next</h2>
      <ul className="steps">
        {chat !== undefined && (
          <Step title="Write a message">
            <p>The chat page makes a key in the browser and takes test coins for it with one click.</p>
            <p>
              <a className="action" href={chat}>
                Open the chat
              </a>
            </p>
            <Commands label="Or by the command line" commands={commandsFor('messenger')} />
          </Step>
        )}
        {evm !== undefined && (
          <Step title="Connect a wallet">
            <WalletStep evm={evm} faucet={faucet} explorer={explorer} />
            <Commands label="Or by the command line" commands={commandsFor('evm')} />
          </Step>
        )}
        {commandsFor('sequencer').length > 0 && (
          <Step title="Ask the sequencer">
            <p>No rollup runs here yet: the sequencer answers, and a rollup can be added.</p>
            <Commands label="By the command line" commands={commandsFor('sequencer')} />
          </Step>
        )}
        {create !== '' && (
          <Step title="Build a rollup">
            <p>A project in TypeScript with tests, commands and an HTTP API, which runs in a network of its own.</p>
            <Command text={create} />
            <Commands label="Then start it" commands={more} />
          </Step>
        )}
        {commandsFor('deploy').length > 0 && (
          <Step title="Deploy an EVM rollup">
            <p>A manifest describes the rollup; one command installs it on this sequencer and waits until it works.</p>
            <Commands label="Both commands" commands={commandsFor('deploy')} />
          </Step>
        )}
      </ul>
    </section>
  );
}

function Step({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <li className="card">
      <h3>{title}</h3>
      {children}
    </li>
  );
}

interface WalletStepProps {
  readonly evm: NonNullable<Network['evm']>;
  readonly faucet: string | undefined;
  readonly explorer: string | undefined;
}

function WalletStep({ evm, faucet, explorer }: WalletStepProps) {
  const { name, url, chainId, symbol } = evm;
  return (
    <>
      <p>
        Every Ethereum wallet and tool works with {name}.
        {faucet !== undefined && (
          <>
            {' '}
            <a href={faucet}>The faucet</a> has {symbol} for tests.
          </>
        )}
      </p>
      <WalletNetwork name={name} url={url} chainId={chainId} explorerUrl={explorer && explorerOf(explorer, name)} />
    </>
  );
}

/** Folded away: some have public development keys in them, and all are long. */
function Commands({ label, commands }: { readonly label: string; readonly commands: readonly string[] }) {
  if (commands.length === 0) return null;
  return (
    <details>
      <summary>{label}</summary>
      {commands.map((command) => (
        <Command key={command} text={command} />
      ))}
    </details>
  );
}
